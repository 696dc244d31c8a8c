/// How many errors of one kind a bus delivers in a while, before it sums up the rest.
///
/// Of one kind are errors of the same type, code (an enum's case; an `NSError`'s domain and code), and posting line;
/// what else they hold does not count. The first few in a window are delivered as they come. Of the rest the newest is
/// held until the window ends, and is then delivered with ``ErrorReport/occurrences`` telling for how many it stands;
/// the others count as suppressed. A window begins with the first error of its kind, and the next one with the first
/// error after it.
///
/// The bus remembers the kinds it saw last, half its capacity and 1,024 at most. A kind that it forgets, and the end of
/// posting, let go at once what is held. What is held takes capacity, as all that is pending does: with a capacity of 1
/// one held report fills the bus. Scopes do not count for the kind; what is delivered goes the path of its own.
public struct FloodLimit: Sendable {
    /// How many errors of a kind are delivered in a window as they come.
    public let first: Int
    /// How long a window is.
    public let window: Duration
    /// Says what kind an error is of; nil for the library's way.
    let fingerprint: (@Sendable (ErrorReport) -> String)?

    /// Limits how often errors of one kind are delivered.
    ///
    /// - Parameters:
    ///   - first: How many are delivered in a window as they come. Not negative: a negative number stops the program;
    ///     with 0 there are only summaries.
    ///   - window: How long a window is, by the bus's clock. Positive: anything else stops the program.
    ///   - fingerprint: Says what kind a reported error is of, where type, code and posting line are not what counts:
    ///     those of equal texts are of one kind. Asked once for each error, by the bus in its own time, so it should be
    ///     quick; the report is not delivered yet.
    public init(first: Int, per window: Duration, by fingerprint: (@Sendable (ErrorReport) -> String)? = nil) {
        if first < 0 { fatalError("FloodLimit(first:per:): first must not be negative, but is \(first)") }
        if window <= .zero { fatalError("FloodLimit(first:per:): the window must be positive, but is \(window)") }
        self.first = first
        self.window = window
        self.fingerprint = fingerprint
    }
}
