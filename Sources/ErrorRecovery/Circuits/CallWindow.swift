/// Counts how many calls ended within a time window, and how many of them failed: a plain value.
///
/// The window consists of ten slots of equal length. As time passes, the oldest slot is dropped. So a call counts for
/// at least nine tenths of the window's length, and memory is bounded for any number of calls.
struct CallWindow {
    private struct Slot {
        var calls = 0
        var failures = 0
    }

    /// The division of time into slots.
    struct Division {
        static let count = 10

        /// The length of a slot in attoseconds.
        private let slotLength: Int128

        /// The window's length must be positive.
        init(of length: Duration) { slotLength = max(length.attoseconds / Int128(Self.count), 1) }

        /// Returns the number of the slot that contains a time.
        func slot(at now: Duration) -> Int { Int(clamping: now.attoseconds / slotLength) }
    }

    private let division: Division
    /// A ring buffer; `newest` is the index of the current slot.
    private var slots = [Slot](repeating: Slot(), count: Division.count)
    private var newest = 0
    /// The number of the current slot.
    private(set) var number = 0

    /// How many calls in the window have ended.
    private(set) var calls = 0
    /// How many calls in the window failed.
    private(set) var failures = 0

    /// The window's length must be positive.
    init(length: Duration) { division = Division(of: length) }

    /// Adds calls that ended in the current slot, as of the last `move(to:)`.
    mutating func add(calls: Int, failures: Int = 0) {
        slots[newest].calls += calls
        slots[newest].failures += failures
        self.calls += calls
        self.failures += failures
    }

    /// Makes the slot of the given time current, and drops the slots that are too old.
    ///
    /// If the clock was set back, calls recorded at later times count as if they had just ended.
    mutating func move(to now: Duration) {
        let next = division.slot(at: now)
        // Wrap the subtraction: the clock might jump from one end of its range to the other.
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
