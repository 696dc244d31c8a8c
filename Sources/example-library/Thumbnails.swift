public import ErrorRouting

/// A library that throws the errors that its caller needs to know, and posts the others.
///
/// It has no bus and no rules: the application has them.
public struct Thumbnails: Sendable {
    /// No thumbnail can be made of a file; thrown.
    public struct UnknownFormat: Error {
        /// The file's name.
        public let file: String
    }

    /// A thumbnail was made, but not cached, so that it has to be made again; posted.
    public struct CacheNotWritten: Error {
        /// The file's name.
        public let file: String
    }

    private let errors: any ErrorPosting

    /// Makes thumbnails.
    ///
    /// - Parameter errors: Where to post; by default the current task's scope or bus, or else the process's root bus.
    public init(errors: any ErrorPosting = .ambient) {
        self.errors = errors
    }

    /// Makes a thumbnail.
    ///
    /// - Parameter file: The image.
    /// - Returns: The thumbnail.
    /// - Throws: `UnknownFormat`, since then the caller gets no thumbnail.
    public func make(of file: String) async throws(UnknownFormat) -> String {
        guard file.hasSuffix(".png") else { throw UnknownFormat(file: file) }
        // The caller does not wait for the cache: an error thrown in this task is posted.
        errors.task(metadata: ["file": file]) { throw CacheNotWritten(file: file) }
        return "thumbnail of \(file)"
    }
}
