/// An error that names the errors under it.
///
/// Where an error conforms, ``ErrorMatcher/anywhere(_:)`` follows what it returns and looks no further into it: no
/// `NSError` keys, no reflection.
public protocol UnderlyingErrors: Error {
    /// The errors directly under this one, the most telling first.
    var underlyingErrors: [any Error] { get }
}
