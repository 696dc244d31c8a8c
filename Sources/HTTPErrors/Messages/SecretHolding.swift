/// A value that might contain secrets: `print`, `dump`, and mirrors show only its description.
///
/// This module's request and response types conform to it. Conform your own request if its fields must not reach a log:
///
/// ```swift
/// struct LogIn: APIRequest, SecretHolding {
///     let password: String
///     …
/// }
/// ```
public protocol SecretHolding: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension SecretHolding {
    /// The name of the type, so that the value's fields don't appear.
    public var description: String { "\(Self.self)" }

    /// The same as the description.
    public var debugDescription: String { description }

    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
