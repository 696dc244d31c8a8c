/// An error of this package that provides metadata for its reports, such as the request that failed.
///
/// A report reads the metadata whenever its own metadata is read, so that a post costs nothing more, and the last
/// resort has it too. A conforming type limits the number of keys and the length of each value, and leaves out secrets.
package protocol ErrorMetadataProviding: Error {
    /// The metadata; computed at each access.
    var errorMetadata: [String: String] { get }

    /// All keys that errors of this type can have.
    static var errorMetadataKeys: Set<String> { get }
}

extension ErrorReport {
    /// The metadata from the metadata provider, the scopes, and the caller, and that of the error itself.
    ///
    /// A `NetworkError` of `HTTPErrors` has metadata: its request. If another source already gives one of the error's
    /// keys, as a server's request does in its scope, all keys of the error begin with `upstream.`.
    public var metadata: [String: String] {
        ErrorMetadata.of(unboxed.error)?.added(to: givenMetadata) ?? givenMetadata
    }
}

/// The metadata that an error provides, and all keys that errors of its type can have.
private struct ErrorMetadata {
    let own: [String: String]
    let keys: Set<String>

    private static let prefix = "upstream."
    /// The number of errors that another error wraps and that are searched for metadata.
    private static let depth = 4

    /// Types without metadata: observers read that of each report.
    private static let plainTypes = NonconformingTypes()

    /// Returns the metadata of an error or, if it has none, of the first error that it wraps.
    static func of(_ error: any Error) -> ErrorMetadata? { mayProvide(error) ? read(error) : nil }

    private static func mayProvide(_ error: any Error) -> Bool {
        let type = type(of: error)
        return plainTypes.conforms(type) {
            type is any ErrorMetadataProviding.Type || type is any UnderlyingErrorsProviding.Type
        }
    }

    @inline(never)
    private static func read(_ error: any Error) -> ErrorMetadata? {
        var error = error
        // An action's failure concerns the error of its report.
        if let failure = error as? ActionFailure { error = failure.report.error }
        for _ in 0...depth {
            if let provider = error as? any ErrorMetadataProviding {
                return ErrorMetadata(own: provider.errorMetadata, keys: type(of: provider).errorMetadataKeys)
            }
            // Don't search by reflection, which costs more than all other metadata.
            guard let wrapper = error as? any UnderlyingErrorsProviding,
                let inner = PerThread.inUserCode({ wrapper.underlyingErrors.first }), let inner
            else { return nil }
            error = UnboxedError(inner).error
        }
        return nil
    }

    func added(to given: [String: String]) -> [String: String] {
        if keys.isDisjoint(with: given.keys) { return given.merging(own) { given, _ in given } }
        // Somebody posted the error again, with the metadata of its report.
        if own.allSatisfy({ given[$0] == $1 }) { return given }
        return given.merging(own.map { (Self.prefix + $0, $1) }) { given, _ in given }
    }
}
