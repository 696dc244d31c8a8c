/// An error of this package that provides metadata for its reports, such as the request that failed.
///
/// A report reads this metadata whenever its own metadata is read. So posting doesn't cost more, and the last resort
/// shows the metadata too. A conforming type limits the number of keys and the length of each value, and omits secrets.
package protocol ErrorMetadataProviding: Error {
    /// The metadata; computed on each access.
    var errorMetadata: [String: String] { get }

    /// All keys that the metadata of errors with this type can contain.
    static var errorMetadataKeys: Set<String> { get }
}

extension ErrorReport {
    /// The metadata from the metadata provider, the scopes, and the caller, with the metadata of the error itself.
    ///
    /// A `NetworkError` from `HTTPErrors` provides its request as metadata. If another source already provides one of
    /// the error's keys, such as the scope of a server request, all keys of the error begin with `upstream.`.
    public var metadata: [String: String] {
        MetadataProviders.provider(for: unboxed.error)?.errorMetadata(addedTo: givenMetadata) ?? givenMetadata
    }
}

extension ErrorMetadataProviding {
    fileprivate func errorMetadata(addedTo given: [String: String]) -> [String: String] {
        let own = errorMetadata
        if Self.errorMetadataKeys.isDisjoint(with: given.keys) { return given.merging(own) { given, _ in given } }
        // Don't add metadata if the error was posted again with the metadata of its report.
        if own.allSatisfy({ given[$0] == $1 }) { return given }
        return given.merging(own.map { ("upstream.\($0)", $1) }) { given, _ in given }
    }
}

/// Finds the error that provides metadata for a report.
private enum MetadataProviders {
    /// The maximum depth at which wrapped errors are searched for metadata.
    private static let depth = 4

    /// Types without metadata, cached because observers read each report's metadata.
    private static let plainTypes = NonconformingTypes()

    /// Returns the error itself if it provides metadata, or else the first wrapped error that does.
    static func provider(for error: any Error) -> (any ErrorMetadataProviding)? {
        let type = type(of: error)
        let mayProvide = plainTypes.conforms(type) {
            type is any ErrorMetadataProviding.Type || type is any UnderlyingErrorsProviding.Type
        }
        return mayProvide ? search(error) : nil
    }

    @inline(never)
    private static func search(_ error: any Error) -> (any ErrorMetadataProviding)? {
        // Use the report's error: an action's failure concerns the error that the action was handling.
        var error = (error as? ActionFailure)?.report.error ?? error
        for _ in 0...depth {
            if let provider = error as? any ErrorMetadataProviding { return provider }
            // Don't search by reflection: it costs more than all other metadata.
            guard let wrapper = error as? any UnderlyingErrorsProviding,
                let inner = PerThread.inUserCode({ wrapper.underlyingErrors.first }), let inner
            else { return nil }
            error = UnboxedError(inner).error
        }
        return nil
    }
}
