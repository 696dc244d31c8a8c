/// A value that may hold secrets: whatever prints it, `print`, `dump` or a mirror, shows its description and no more.
///
/// The types of this module that have to do with requests and responses are. Conform your own request to it if its
/// fields must not come into a log:
///
/// ```swift
/// struct LogIn: APIRequest, SecretHolding {
///     let password: String
///     var description: String { "LogIn" }
///     …
/// }
/// ```
public protocol SecretHolding: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension SecretHolding {
    /// The same as the description.
    public var debugDescription: String { description }

    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
