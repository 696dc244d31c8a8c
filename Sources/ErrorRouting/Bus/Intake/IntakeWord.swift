import Synchronization

/// What posters have to agree on, as one plain value that fits an atomic word: how many reports were accepted, whether
/// more are, and whether a notice of drops is on its way.
///
/// Because acceptance and the end are one word, no post slips in after the last drain: the bus ends only in a word that
/// is closed and has nothing outstanding, and whoever comes later reads that it has ended.
struct IntakeWord: Hashable, Sendable, AtomicRepresentable {
    enum Reservation: Equatable {
        /// One more is accepted, and has to be pushed.
        case accepted
        /// As many are pending as may be.
        case full
        /// The bus has finished.
        case closed
    }

    private static let closedBit: UInt64 = 1
    private static let endedBit: UInt64 = 2
    private static let noticeBit: UInt64 = 4
    private static let one: UInt64 = 8

    private var bits: UInt64

    /// - Parameter accepted: How many reports count as accepted before.
    init(accepted: Int64 = 0) { bits = UInt64(accepted) &* Self.one }

    /// How many reports were accepted since the beginning.
    ///
    /// With 61 bits it does not run over in a thousand years of posting.
    var accepted: Int64 { Int64(truncatingIfNeeded: bits / Self.one) }
    /// Whether no more reports are accepted.
    var isClosed: Bool { bits & Self.closedBit != 0 }
    /// Whether nothing is left, and never will be.
    var hasEnded: Bool { bits & Self.endedBit != 0 }
    /// Whether a notice of drops was made and not yet taken.
    var hasNotice: Bool { bits & Self.noticeBit != 0 }

    /// Asks for room for one more report.
    ///
    /// - Parameters:
    ///   - released: How many of the accepted ones take no room any more.
    ///   - capacity: How many may.
    ///   - limit: How many are accepted in all, as if it were closed then.
    mutating func reserve(released: Int64, capacity: Int, limit: Int64 = .max) -> Reservation {
        if isClosed || accepted >= limit { return .closed }
        guard accepted &- released < Int64(capacity) else { return .full }
        bits &+= Self.one
        return .accepted
    }

    /// Announces a notice of drops, which takes no room.
    ///
    /// - Returns: Whether it may be pushed; if not, the bus has ended.
    mutating func reserveNotice() -> Bool {
        if hasEnded { return false }
        bits |= Self.noticeBit
        return true
    }

    /// The notice was taken, or could not be pushed.
    mutating func clearNotice() {
        bits &= ~Self.noticeBit
    }

    /// Accepts no more.
    ///
    /// - Returns: Whether it did until now.
    mutating func close() -> Bool {
        defer { bits |= Self.closedBit }
        return !isClosed
    }

    /// Ends, if it is closed and nothing is outstanding.
    mutating func end(released: Int64) -> Bool {
        guard isClosed, accepted == released, !hasNotice else { return false }
        bits |= Self.endedBit
        return true
    }

    /// Ends, whatever is outstanding: that will be refused.
    mutating func shut() {
        bits |= Self.closedBit | Self.endedBit
    }

    static func encodeAtomicRepresentation(_ value: consuming IntakeWord) -> UInt64.AtomicRepresentation {
        UInt64.encodeAtomicRepresentation(value.bits)
    }

    static func decodeAtomicRepresentation(_ storage: consuming UInt64.AtomicRepresentation) -> IntakeWord {
        var word = IntakeWord()
        word.bits = UInt64.decodeAtomicRepresentation(storage)
        return word
    }
}
