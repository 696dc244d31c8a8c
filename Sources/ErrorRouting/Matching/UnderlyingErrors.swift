/// An error that names the errors under it.
///
/// For an error that conforms, ``ErrorMatcher/anywhere(_:)`` visits these errors only: it reads no `NSError` keys, and
/// does not reflect the error.
public protocol UnderlyingErrors: Error {
    /// The errors directly under this one, the most important first.
    var underlyingErrors: [any Error] { get }
}

/// Returns the errors directly under an error, as ``ErrorMatcher/anywhere(_:)`` sees them.
///
/// - Parameter error: The error.
/// - Returns: What ``UnderlyingErrors`` names if the error conforms; otherwise the errors for the `NSError` keys, if it has
///   any; otherwise those in its fields and payloads. Empty for an error that asks for them of itself without end.
/// - Complexity: O(number of fields and elements), at most 1,024.
public func underlyingErrors(of error: any Error) -> [any Error] {
    var walk = UnderlyingErrorWalk(error, bridged: nil)
    return walk.direct
}
