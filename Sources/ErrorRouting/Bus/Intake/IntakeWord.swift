import Synchronization

/// The state that callers must agree on: the number of accepted reports, and whether more are accepted.
///
/// It is one plain value that fits an atomic word. Because both share that word, no post can be accepted after the last
/// report was delivered: the bus ends only if the word is closed and no report is outstanding, and a closed word doesn't
/// change.
struct IntakeWord: RawRepresentable, Hashable, Sendable, AtomicRepresentable {
    enum Reservation: Equatable {
        /// Accepted with this report number; the caller must fill the slot.
        case accepted(Int64)
        /// The capacity is exhausted; the caller must count the error as dropped.
        case full
        /// No more reports are accepted.
        case closed
    }

    // Bit 0 is set when the word is closed; the count of reports begins at bit 1.
    private static let closedBit: UInt64 = 1
    private static let one: UInt64 = 2

    private(set) var rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the word of an open bus; the given number of reports count as already accepted.
    init(accepted: Int64 = 0) { rawValue = UInt64(accepted) &* Self.one }

    /// The number of reports accepted since the bus was created.
    ///
    /// It is 63 bits wide, which doesn't overflow in a thousand years of posting.
    var accepted: Int64 { Int64(truncatingIfNeeded: rawValue / Self.one) }
    /// Whether no more reports are accepted.
    var isClosed: Bool { rawValue & Self.closedBit != 0 }

    /// Accepts one more report if the word is open and fewer reports than the capacity are pending.
    ///
    /// `released` is the number of accepted reports that no longer take capacity.
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
}
