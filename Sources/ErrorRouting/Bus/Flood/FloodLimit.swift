/// A limit on the number of errors of one kind that a bus delivers in a window of time; it sums up the others.
///
/// Errors are of one kind if they have the same type, code (an enum's case; an `NSError`'s domain and code), posting
/// line, path of scopes and role; payloads do not count. A notice is never held or merged, except that of a cancellation.
/// The first few errors in a window are delivered as they come. Of the others the newest is held until the window ends, and then delivered; its
/// ``ErrorReport/occurrences`` says how many errors it stands for, and its ``ErrorReport/firstInstant`` when the oldest
/// of them was posted. The rest count as suppressed. A window begins with the first error of its kind, and the next
/// window with the first error after the end of that one.
///
/// The bus remembers the kinds whose windows began last: at most half its capacity, and at most 1,024. A held report is
/// delivered early if its kind is forgotten, and when the bus is finished or flushed. Held reports are pending and take
/// capacity: with a capacity of 1 a single held report fills the bus. Whoever waits for an error's outcome gets
/// `.pending` as soon as the error is held. The report that is delivered goes through the rules of its scope.
public struct FloodLimit: Sendable {
    /// The number of errors of a kind that are delivered in a window as they come.
    let first: Int
    /// The length of a window.
    let window: Duration
    /// Returns the kind of an error; nil for type, code, posting line, scope and role.
    let fingerprint: (@Sendable (ErrorReport) -> String)?

    /// Creates a limit on the number of errors of one kind.
    ///
    /// - Parameters:
    ///   - first: The number of errors of a kind that are delivered in a window as they come. A negative number stops
    ///     the program; with 0 only the summed-up reports are delivered.
    ///   - window: The length of a window, by the bus's clock. A length that is not positive stops the program.
    ///   - fingerprint: Returns the kind of a reported error, instead of type, code, posting line and scope: errors with
    ///     equal strings and the same role are of one kind. The bus's worker calls it for each error before the report is
    ///     delivered, and again if a held one goes first; so it should be quick.
    public init(first: Int, per window: Duration, by fingerprint: (@Sendable (ErrorReport) -> String)? = nil) {
        if first < 0 { fatalError("FloodLimit(first:per:): first must not be negative, but is \(first)") }
        if window <= .zero { fatalError("FloodLimit(first:per:): the window must be positive, but is \(window)") }
        self.first = first
        self.window = window
        self.fingerprint = fingerprint
    }
}
