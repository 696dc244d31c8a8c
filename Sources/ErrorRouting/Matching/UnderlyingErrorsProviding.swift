/// An error that names the errors wrapped in it.
///
/// For a conforming error, ``ErrorMatcher/anywhere(_:)`` visits only these errors; it reads no `NSError` keys and
/// doesn't reflect the error.
public protocol UnderlyingErrorsProviding: Error {
    /// The errors directly wrapped in this one, most important first.
    var underlyingErrors: [any Error] { get }
}

/// Returns the errors directly wrapped in an error, as ``ErrorMatcher/anywhere(_:)`` finds them.
///
/// - Parameter error: The error.
/// - Returns: The errors from ``UnderlyingErrorsProviding`` if the error conforms; if it doesn't, the errors for the `NSError`
///   keys, if any; otherwise the errors in its fields and payloads. Empty for an error that reads its own underlying
///   errors without end.
/// - Complexity: O(number of fields and elements), at most 1,024.
public func underlyingErrors(of error: any Error) -> [any Error] {
    let errors = PerThread.inUserCode {
        var walk = UnderlyingErrorWalk(UnboxedError(error))
        return walk.direct
    }
    return errors ?? []
}
