/// A limit on the number of errors of one kind that a bus delivers in a time window; the bus merges the others.
///
/// Errors are of one kind if they have the same type, code (an enum's case; an `NSError`'s domain and code), posting
/// line, path of scopes, and role; payloads don't count. The bus never holds back or merges a notice, except that of a
/// cancellation. It delivers the first few errors in a window as they come. The bus holds back the newest of the rest
/// until the window ends and then delivers it. Its ``ErrorReport/occurrences`` is the number of errors that it stands
/// for, and its ``ErrorReport/firstInstant`` is the time at which the oldest of them was posted. The others count as
/// suppressed. A window begins with the first error of its kind, and the next window begins with the first error after
/// the end of that one.
///
/// The bus stores the kinds with the newest windows: at most half its capacity, and at most 1,024. It delivers a held
/// report early if it removes the report's kind, or when the bus is finished or flushed. Held reports are pending and
/// take capacity: with a capacity of 1, a single held report fills the bus. A caller that waits for an error's outcome
/// receives `.pending` as soon as the error is held back. The delivered report goes through the rules of its scope.
public struct FloodLimit: Sendable {
    /// The number of errors of a kind that the bus delivers in a window as they come.
    public let first: Int
    /// The length of a window.
    public let window: Duration
    /// Returns the kind of an error; nil for type, code, posting line, scope, and role.
    let fingerprint: (@Sendable (ErrorReport) -> String)?

    /// Creates a limit on the number of errors of one kind.
    ///
    /// - Parameters:
    ///   - first: The number of errors of a kind that the bus delivers in a window as they come. A negative number
    ///     stops the program; with 0, the bus delivers only merged reports.
    ///   - window: The length of a window, by the bus's clock. A length that isn't positive stops the program.
    ///   - fingerprint: Returns the kind of a reported error, instead of type, code, posting line, and scope. Errors
    ///     with equal strings and the same role are of one kind. The poster calls it once for each error that the bus
    ///     accepts, with a report that has no sequence number and no outcome yet. Later reports wait for it, so it
    ///     should be quick. An error that it posts to the same bus is of its type's kind.
    public init(first: Int, per window: Duration, by fingerprint: (@Sendable (ErrorReport) -> String)? = nil) {
        if first < 0 { fatalError("FloodLimit(first:per:): first must not be negative, but is \(first)") }
        if window <= .zero { fatalError("FloodLimit(first:per:): the window must be positive, but is \(window)") }
        self.first = first
        self.window = window
        self.fingerprint = fingerprint
    }
}
