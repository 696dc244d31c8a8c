public import ErrorRouting

/// A library that throws what its caller waits for, and posts the rest.
///
/// It has no bus and no rules: those are the application's.
public struct Thumbnails: Sendable {
    /// A file of which no thumbnail can be made; thrown.
    public struct UnknownFormat: Error {
        /// The file's name.
        public let file: String
    }

    /// A thumbnail that is made, and will have to be made again; posted.
    public struct CacheNotWritten: Error {
        /// The file's name.
        public let file: String
    }

    private let errors: any ErrorPosting

    /// Makes thumbnails.
    ///
    /// - Parameter errors: Where to post; by default the scope or bus of the caller's task, else the process's root.
    public init(errors: any ErrorPosting = .ambient) {
        self.errors = errors
    }

    /// Makes a thumbnail.
    ///
    /// - Parameter file: The image.
    /// - Returns: The thumbnail.
    /// - Throws: `UnknownFormat`, since the caller has to do without the thumbnail.
    public func make(of file: String) async throws(UnknownFormat) -> String {
        guard file.hasSuffix(".png") else { throw UnknownFormat(file: file) }
        // Nobody waits for the cache: what is thrown in this task is posted.
        errors.task(metadata: ["file": file]) { throw CacheNotWritten(file: file) }
        return "thumbnail of \(file)"
    }
}
