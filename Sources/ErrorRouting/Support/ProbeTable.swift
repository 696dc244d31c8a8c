import Synchronization

/// A hash table of words by key; it is read without a lock while at most one thread writes.
///
/// Unlike reading a dictionary, a lookup doesn't retain an object. A writer publishes a slot by storing its word after
/// its key, and it never removes a word. A value of this type is a view of manually managed memory: its creator must
/// call ``deallocate()``.
///
/// `@unchecked` because of the pointer: its memory is accessed atomically.
@safe struct ProbeTable: @unchecked Sendable {
    /// The mask, an unused word, and then the key and word of each slot; the word of a free slot is 0.
    private let words: UnsafeMutablePointer<Atomic<UInt>>

    /// Creates a table for a number of words; it is at most half full, so that each search reaches a free slot.
    init(room: Int) {
        var capacity = 2
        while capacity < room * 2 { capacity *= 2 }
        unsafe words = .allocate(capacity: 2 * (capacity + 1))
        for index in 0..<2 * (capacity + 1) { unsafe (words + index).initialize(to: Atomic(0)) }
        self[0].store(UInt(capacity - 1), ordering: .relaxed)
    }

    /// Creates a view of the table at an address; nil for address 0.
    init?(at address: UInt) {
        guard let words = unsafe UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address) else { return nil }
        unsafe self.words = unsafe words
    }

    var address: UInt { unsafe UInt(bitPattern: words) }

    func deallocate() { unsafe words.deallocate() }

    private subscript(index: UInt) -> Atomic<UInt> {
        @inline(__always) unsafeAddress { unsafe UnsafePointer(words + Int(bitPattern: index)) }
    }

    /// Returns the first word with a given key that a closure accepts; 0 if there is no such word.
    @inline(__always)
    func find(_ key: UInt, where isWanted: (UInt) -> Bool) -> UInt {
        let mask = self[0].load(ordering: .relaxed)
        var index = Self.hash(key) & mask
        while true {
            // Use arithmetic without overflow checks: the mask rules out an overflow, and each check costs every
            // dispatch.
            let slot = 2 &* index &+ 2
            let word = self[slot &+ 1].load(ordering: .acquiring)
            if word == 0 { return 0 }
            if self[slot].load(ordering: .relaxed) == key, isWanted(word) { return word }
            index = (index &+ 1) & mask
        }
    }

    /// Returns the first word with a given key; 0 if there is no such word.
    @inline(__always)
    func find(_ key: UInt) -> UInt { find(key) { _ in true } }

    /// Adds a word, which must not be 0; several words can have the same key.
    func insert(_ word: UInt, for key: UInt) {
        let mask = self[0].load(ordering: .relaxed)
        var index = Self.hash(key) & mask
        while self[2 * index + 3].load(ordering: .relaxed) != 0 { index = (index + 1) & mask }
        let slot = 2 * index + 2
        self[slot].store(key, ordering: .relaxed)
        self[slot + 1].store(word, ordering: .releasing)
    }

    /// Hashes a key by multiplication with the golden ratio.
    ///
    /// This spreads aligned and neighboring addresses, and codes that are consecutive or differ by powers of ten.
    @inline(__always)
    private static func hash(_ key: UInt) -> UInt {
        UInt(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}
