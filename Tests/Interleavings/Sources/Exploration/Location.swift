/// The state of one address in one execution, with the threads' accesses, their times, and the values for loads.
struct Location {
    /// The location's name, which is its number among the locations that one thread was the first to access.
    ///
    /// Unlike the address, the name is the same in each execution with the same decisions.
    var name = Name(thread: 0, number: 0)
    /// Whether threads have competed here in any execution so far.
    ///
    /// Only at such a location is an access a decision.
    var isContended = false

    // Atomics, locks, and events

    /// Each thread's last access that only reads, and its last access that can write.
    var (reads, changes) = (VectorClock(), VectorClock())
    /// The newest store's index; -1 before the first store.
    var newestStore: Int32 = -1
    /// Whether a thread holds the lock.
    ///
    /// For an event, it is true until a thread signals the event.
    var isHeld = false
    /// The events that a thread observes by acquiring the lock.
    var released = VectorClock()

    /// The last steps at the location, for a search without a bound on preemptions.
    var dependence = Explorer.Dependence()

    // Plain memory

    var plainReads = VectorClock()
    /// The thread and time of the last plain write; 0 if there was none.
    var (plainWriter, plainWrite) = (0, UInt16(0))

    struct Name: Hashable {
        let thread: UInt8
        let number: UInt16

        static let maximumCount = 4_096

        /// The name's position in a table of all names.
        var index: Int { Int(thread) * Self.maximumCount + Int(number) }

        init(thread: Int, number: Int) { (self.thread, self.number) = (UInt8(thread), UInt16(number)) }

        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ":").map { UInt16($0) }
            guard parts.count == 2, let thread = parts[0], let number = parts[1], thread < Explorer.maximumThreads,
                number < Self.maximumCount
            else { return nil }
            self.init(thread: Int(thread), number: Int(number))
        }

        var description: String { "\(thread):\(number)" }
    }
}

/// A value that was stored to an atomic.
struct Store {
    let bits: UInt64
    /// The events that an acquiring load observes.
    let released: VectorClock
    /// The time at which each thread first knew this store.
    ///
    /// From then on, the thread can't find an older store.
    var seen: VectorClock
    /// The index of the previous store; -1 if there is none.
    let previous: Int32
}

/// The locations of one execution, by their addresses.
///
/// This is a hash table with linear probing. An entry from an earlier execution counts as free, so the table doesn't
/// need clearing.
@safe struct Locations {
    // The memory is allocated once at its full size and is never freed.
    private struct Entry {
        var address: UInt = 0
        var execution: UInt32 = 0
        var location: Int32 = 0
    }

    private static let entryCount = 1 << 15
    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: Self.entryCount)
    private let locations = UnsafeMutablePointer<Location>.allocate(capacity: Self.entryCount / 2)
    private var count = 0
    private var execution: UInt32 = 0
    /// How many locations each thread was the first to access.
    private var counts = SIMD8<UInt16>()
    /// The names of the locations at which threads compete.
    private let contended = UnsafeMutablePointer<Bool>.allocate(
        capacity: Explorer.maximumThreads * Location.Name.maximumCount)
    private(set) var contendedNames: [Location.Name] = []

    init() {
        unsafe entries.initialize(repeating: Entry(), count: Self.entryCount)
        unsafe contended.initialize(
            repeating: false, count: Explorer.maximumThreads * Location.Name.maximumCount)
    }

    /// Forgets all locations, but keeps the names of contended locations.
    mutating func beginExecution() { (count, counts, execution) = (0, SIMD8(), execution + 1) }

    mutating func setContended(_ name: Location.Name) {
        if unsafe contended[name.index] { return }
        unsafe contended[name.index] = true
        contendedNames.append(name)
    }

    /// Replaces the names of the locations at which threads compete.
    mutating func setContended(_ names: [Location.Name]) {
        for name in contendedNames { unsafe contended[name.index] = false }
        contendedNames = []
        for name in names { setContended(name) }
    }

    /// Returns the location at an address.
    ///
    /// If there is none, the method creates a location that the thread is the first to access.
    @inline(__always)
    mutating func find(_ address: UInt, for thread: Int) -> UnsafeMutablePointer<Location> {
        let entry = unsafe entry(of: address)
        if unsafe entry.pointee.execution == execution, unsafe entry.pointee.location >= 0 {
            return unsafe locations + Int(entry.pointee.location)
        }
        return unsafe add(address, at: entry, for: thread)
    }

    /// Forgets an address when its memory is freed.
    mutating func forget(_ address: UInt) {
        let entry = unsafe entry(of: address)
        if unsafe entry.pointee.execution == execution { unsafe entry.pointee.location = -1 }
    }

    @inline(__always)
    private func entry(of address: UInt) -> UnsafeMutablePointer<Entry> {
        var index = Int(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 40)
        while true {
            index &= Self.entryCount - 1
            let entry = unsafe entries + index
            if unsafe entry.pointee.execution != execution || entry.pointee.address == address { return unsafe entry }
            index += 1
        }
    }

    private mutating func add(
        _ address: UInt, at entry: UnsafeMutablePointer<Entry>, for thread: Int
    ) -> UnsafeMutablePointer<Location> {
        precondition(count < Self.entryCount / 2, "a scenario uses too many addresses")
        precondition(counts[thread] < Location.Name.maximumCount, "a thread uses too many addresses")
        var made = Location()
        made.name = Location.Name(thread: thread, number: Int(counts[thread]))
        made.isContended = unsafe contended[made.name.index]
        unsafe entry.pointee = Entry(address: address, execution: execution, location: Int32(count))
        let location = unsafe locations + count
        unsafe location.initialize(to: made)
        count += 1
        counts[thread] += 1
        return unsafe location
    }
}
