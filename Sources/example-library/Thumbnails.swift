public import ErrorRouting

/// A library that throws the errors that concern its caller, and posts the others.
///
/// It has no bus and no rules: the application has them.
public struct Thumbnails: Sendable {
    /// The error that is thrown if a file has an unknown format.
    public struct UnknownFormat: Error {
        /// The file's name.
        public let file: String
    }

    /// The error that is posted if a thumbnail was created but not cached.
    ///
    /// The next call has to create it again.
    public struct CacheNotWritten: Error {
        /// The file's name.
        public let file: String
    }

    private let errors: any ErrorPosting

    /// Creates an instance.
    ///
    /// - Parameter errors: Where to post; by default the current task's scope or bus or, without one, the root bus.
    public init(errors: any ErrorPosting = .ambient) {
        self.errors = errors
    }

    /// Creates a thumbnail.
    ///
    /// - Parameter file: The image.
    /// - Returns: The thumbnail.
    /// - Throws: `UnknownFormat`, because the caller receives no thumbnail.
    public func make(of file: String) async throws(UnknownFormat) -> String {
        guard file.hasSuffix(".png") else { throw UnknownFormat(file: file) }
        // The caller does not wait for the cache: an error thrown in this task is posted.
        errors.task(metadata: ["file": file]) { throw CacheNotWritten(file: file) }
        return "thumbnail of \(file)"
    }
}
