import Synchronization

/// What posters have to agree on, as one plain value that fits an atomic word: how many reports were accepted, whether
/// more are accepted, and whether a notice of drops is announced.
///
/// Because acceptance and the end are in one word, no post is accepted after the last one was delivered: the bus ends
/// only if the word is closed and nothing is outstanding, and later posters read that it has ended.
struct IntakeWord: Hashable, Sendable, AtomicRepresentable {
    enum Reservation: Equatable {
        /// One more is accepted, and the poster has to fill its place.
        case accepted
        /// As many reports are pending as may be.
        case full
        /// No more reports are accepted.
        case closed
    }

    private static let closedBit: UInt64 = 1
    private static let endedBit: UInt64 = 2
    private static let noticeBit: UInt64 = 4
    private static let one: UInt64 = 8

    private var bits: UInt64

    /// - Parameter accepted: How many reports count as accepted from the beginning.
    init(accepted: Int64 = 0) { bits = UInt64(accepted) &* Self.one }

    /// How many reports were accepted since the beginning.
    ///
    /// Its 61 bits do not overflow in a thousand years of posting.
    var accepted: Int64 { Int64(truncatingIfNeeded: bits / Self.one) }
    /// Whether no more reports are accepted.
    var isClosed: Bool { bits & Self.closedBit != 0 }
    /// Whether the bus has ended: no report is accepted or delivered any more.
    var hasEnded: Bool { bits & Self.endedBit != 0 }
    /// Whether a notice of drops was announced and not yet taken.
    var hasNotice: Bool { bits & Self.noticeBit != 0 }

    /// Accepts one more report, if there is room.
    ///
    /// - Parameters:
    ///   - released: How many of the accepted reports take no capacity any more.
    ///   - capacity: How many reports may be pending.
    ///   - limit: The most reports that are accepted in all; after them the word counts as closed.
    mutating func reserve(released: Int64, capacity: Int, limit: Int64 = .max) -> Reservation {
        if isClosed || accepted >= limit { return .closed }
        guard accepted &- released < Int64(capacity) else { return .full }
        bits &+= Self.one
        return .accepted
    }

    /// Announces a notice of drops, which takes no capacity.
    ///
    /// - Returns: Whether it did; if not, the bus has ended.
    mutating func reserveNotice() -> Bool {
        if hasEnded { return false }
        bits |= Self.noticeBit
        return true
    }

    /// Notes that the notice was taken.
    mutating func clearNotice() { bits &= ~Self.noticeBit }

    /// Accepts no more.
    ///
    /// - Returns: Whether this call has closed the word.
    mutating func close() -> Bool {
        defer { bits |= Self.closedBit }
        return !isClosed
    }

    /// Ends, if the word is closed and nothing is outstanding; returns whether it did.
    mutating func end(released: Int64) -> Bool {
        guard isClosed, accepted == released, !hasNotice else { return false }
        bits |= Self.endedBit
        return true
    }

    /// Ends, even if reports are outstanding.
    mutating func shut() { bits |= Self.closedBit | Self.endedBit }

    static func encodeAtomicRepresentation(_ value: consuming IntakeWord) -> UInt64.AtomicRepresentation {
        UInt64.encodeAtomicRepresentation(value.bits)
    }

    static func decodeAtomicRepresentation(_ storage: consuming UInt64.AtomicRepresentation) -> IntakeWord {
        var word = IntakeWord()
        word.bits = UInt64.decodeAtomicRepresentation(storage)
        return word
    }
}
