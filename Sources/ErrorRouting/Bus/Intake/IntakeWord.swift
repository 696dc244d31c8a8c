import Synchronization

/// The state that callers must agree on, as one plain value that fits an atomic word: the number of accepted reports,
/// and whether more are accepted.
///
/// Because acceptance and the end are in one word, no post is accepted after the last one was delivered. The bus ends
/// only if the word is closed and nothing is outstanding, and later callers read that it has ended.
struct IntakeWord: RawRepresentable, Hashable, Sendable, AtomicRepresentable {
    enum Reservation: Equatable {
        /// Accepted as the report of this number; the caller must fill its slot.
        case accepted(Int64)
        /// The pending reports fill the capacity; the caller counts the error as dropped.
        case full
        /// No more reports are accepted.
        case closed
    }

    private static let closedBit: UInt64 = 1
    private static let endedBit: UInt64 = 2
    private static let one: UInt64 = 4

    private(set) var rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameter accepted: The number of reports that count as accepted from the beginning.
    init(accepted: Int64 = 0) { rawValue = UInt64(accepted) &* Self.one }

    /// The number of reports accepted since the beginning.
    ///
    /// Its 62 bits don't overflow in a thousand years of posting.
    var accepted: Int64 { Int64(truncatingIfNeeded: rawValue / Self.one) }
    /// Whether no more reports are accepted.
    var isClosed: Bool { rawValue & Self.closedBit != 0 }
    /// Whether the bus has ended: it no longer accepts or delivers reports.
    var hasEnded: Bool { rawValue & Self.endedBit != 0 }

    /// Accepts one more report, if there is room.
    ///
    /// - Parameters:
    ///   - released: The number of accepted reports that no longer take capacity.
    ///   - capacity: The number of reports that can be pending.
    mutating func reserve(released: Int64, capacity: Int) -> Reservation {
        if isClosed { return .closed }
        guard accepted &- released < Int64(capacity) else { return .full }
        defer { rawValue &+= Self.one }
        return .accepted(accepted)
    }

    /// Stops accepting reports; returns whether this call closed the word.
    mutating func close() -> Bool {
        defer { rawValue |= Self.closedBit }
        return !isClosed
    }

    /// Ends the bus if the word is closed and nothing is outstanding; returns whether it did.
    mutating func end(released: Int64) -> Bool {
        guard isClosed, accepted == released else { return false }
        rawValue |= Self.endedBit
        return true
    }

    /// Ends the bus even if reports are outstanding; returns the number of accepted reports.
    mutating func abort() -> Int64 {
        rawValue |= Self.closedBit | Self.endedBit
        return accepted
    }
}
