/// A limit on the errors of one kind that a bus delivers in a time window; the bus merges further errors.
///
/// Errors are of the same kind if they have the same type, code (an enum's case; an `NSError`'s domain and code),
/// posting line, path of scopes, and role. Payloads don't count. The bus never holds back or merges a notice, except
/// for a cancellation that was posted as a notice.
///
/// The bus immediately delivers the first few errors in a window. Of any further errors, it holds back only the most
/// recent and delivers it when the window ends. That report's ``ErrorReport/occurrences`` is the number of errors that
/// it represents, and its ``ErrorReport/firstInstant`` is the time at which the oldest of them was posted. The other
/// errors count as suppressed. A window begins with the first error of its kind. The first error of that kind after its
/// end begins the next window.
///
/// The bus tracks the kinds whose windows began most recently, up to half its capacity and never more than 1,024. If it
/// removes a kind, or when it is finished or flushed, it delivers held reports early. Held reports are pending and take
/// capacity: with a capacity of 1, a single held report fills the bus. A caller that waits for an error's outcome
/// receives `.pending` as soon as the error is held back. The delivered report passes through the rules of its scope.
public struct FloodLimit: Sendable {
    /// The number of errors of a kind that the bus immediately delivers in a window.
    public let first: Int
    /// The length of a window.
    public let window: Duration
    /// Returns the kind of an error; nil if the kind consists of type, code, posting line, scope, and role.
    let fingerprint: (@Sendable (ErrorReport) -> String)?

    /// Creates a limit on the errors of one kind.
    ///
    /// - Parameters:
    ///   - first: The number of errors of a kind that the bus immediately delivers in a window. With 0, the bus
    ///     delivers only merged reports. A negative number crashes the program.
    ///   - window: The length of a window, measured with the bus's clock. A length that isn't positive crashes the
    ///     program.
    ///   - fingerprint: Returns the kind of a reported error, which replaces type, code, posting line, and scope.
    ///     Errors with equal strings and the same role are of the same kind. The posting thread calls the closure once
    ///     for each error that the bus accepts, with a report that has no sequence number or outcome yet. Later reports
    ///     wait for the closure, so it should be quick. If the closure posts an error to the same bus, the kind of that
    ///     error consists of its type, code, posting line, scope, and role.
    public init(first: Int, per window: Duration, by fingerprint: (@Sendable (ErrorReport) -> String)? = nil) {
        if first < 0 { fatalError("FloodLimit(first:per:): first must not be negative, but is \(first)") }
        if window <= .zero { fatalError("FloodLimit(first:per:): the window must be positive, but is \(window)") }
        self.first = first
        self.window = window
        self.fingerprint = fingerprint
    }
}
