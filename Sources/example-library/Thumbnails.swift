public import ErrorRouting

/// A library that throws the errors that its caller must handle, and posts the other errors.
///
/// It doesn't create a bus or rules, because these belong to the application.
public struct Thumbnails: Sendable {
    /// The error that is thrown for a file with an unknown format.
    public struct UnknownFormat: Error {
        /// The file's name.
        public let file: String
    }

    /// The error that is posted if a thumbnail was created but not cached.
    ///
    /// The next call must create the thumbnail again.
    public struct CacheNotWritten: Error {
        /// The file's name.
        public let file: String
    }

    private let errors: any ErrorPosting

    /// Creates a thumbnail maker.
    ///
    /// - Parameter errors: Where to post errors; by default, `.ambient` chooses the scope or bus of the posting task.
    public init(errors: any ErrorPosting = .ambient) {
        self.errors = errors
    }

    /// Creates a thumbnail.
    ///
    /// - Parameter file: The name of the image file.
    /// - Returns: The thumbnail.
    /// - Throws: `UnknownFormat`, because the caller doesn't receive a thumbnail.
    public func make(of file: String) async throws(UnknownFormat) -> String {
        guard file.hasSuffix(".png") else { throw UnknownFormat(file: file) }
        // Write the cache in a task, because the caller doesn't wait for it; errors thrown in this task are posted.
        errors.task(metadata: ["file": file]) { throw CacheNotWritten(file: file) }
        return "thumbnail of \(file)"
    }
}
