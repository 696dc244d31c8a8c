/// Counts the calls that ended within a window of time, and how many of them failed: a plain value.
///
/// The window consists of ten slots of equal length, and the oldest slot is dropped as time passes. So a call counts
/// for at least nine tenths of the window's length, and memory is bounded for any number of calls.
struct CallWindow {
    private struct Slot {
        var calls = 0
        var failures = 0
    }

    /// Divides time into slots.
    struct Division {
        static let count = 10

        /// The length of a slot in attoseconds.
        private let slotLength: Int128

        /// - Parameter length: The window's length; positive.
        init(of length: Duration) { slotLength = max(length.attoseconds / Int128(Self.count), 1) }

        /// Returns the number of the slot that contains a time.
        func slot(at now: Duration) -> Int { Int(clamping: now.attoseconds / slotLength) }
    }

    private let division: Division
    /// A ring; `newest` is the index of the current slot.
    private var slots = [Slot](repeating: Slot(), count: Division.count)
    private var newest = 0
    /// The number of the current slot.
    private(set) var number = 0

    /// How many calls in the window have ended.
    private(set) var calls = 0
    /// How many of them have failed.
    private(set) var failures = 0

    /// - Parameter length: The window's length; positive.
    init(length: Duration) { division = Division(of: length) }

    /// Adds calls that ended in the current slot, as of the last `move(to:)`.
    mutating func add(calls: Int, failures: Int = 0) {
        slots[newest].calls += calls
        slots[newest].failures += failures
        self.calls += calls
        self.failures += failures
    }

    /// Makes the slot of a time the current one, and drops the slots that are too old.
    ///
    /// If the clock was set back, calls with a time in the future count as if they ended now.
    mutating func move(to now: Duration) {
        let next = division.slot(at: now)
        // Wrap the subtraction: a clock might jump from one end of its range to the other.
        let steps = next > number ? min(UInt(bitPattern: next &- number), UInt(slots.count)) : 0
        for _ in 0..<steps {
            newest = (newest + 1) % slots.count
            calls -= slots[newest].calls
            failures -= slots[newest].failures
            slots[newest] = Slot()
        }
        number = next
    }

    /// Discards all calls.
    mutating func removeAll() {
        for index in slots.indices { slots[index] = Slot() }
        (calls, failures) = (0, 0)
    }
}
