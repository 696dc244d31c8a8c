import Synchronization

/// Words by key, in memory of its own: a hash table that is read without a lock while one at a time writes, and without
/// retaining anything, as reading a dictionary would.
///
/// A slot is published by its word, which is stored after the key. Nothing is ever taken out. It is a view: whoever
/// makes one deallocates it.
///
/// Unchecked for the address: what is there is read and written atomically.
@safe struct ProbeTable: @unchecked Sendable {
    /// The mask, a word that is not used, and then key and word of each slot; a word is 0 where the slot is free.
    private let words: UnsafeMutablePointer<Atomic<UInt>>

    /// A table with room for so many, at most half full, so that a search always meets an end.
    init(room: Int) {
        var capacity = 2
        while capacity < room * 2 { capacity *= 2 }
        unsafe words = .allocate(capacity: 2 * (capacity + 1))
        for index in 0..<2 * (capacity + 1) { unsafe (words + index).initialize(to: Atomic(0)) }
        unsafe words.pointee.store(UInt(capacity - 1), ordering: .relaxed)
    }

    /// The table at an address.
    init?(at address: UInt) {
        guard let words = unsafe UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address) else { return nil }
        unsafe self.words = unsafe words
    }

    var address: UInt { unsafe UInt(bitPattern: words) }

    func deallocate() { unsafe words.deallocate() }

    /// The first word for a key that a closure accepts; 0 if there is none.
    @inline(__always)
    func find(_ key: UInt, where isWanted: (UInt) -> Bool) -> UInt {
        let mask = unsafe words.pointee.load(ordering: .relaxed)
        var index = Self.hash(key) & mask
        while true {
            let slot = unsafe words + Int(bitPattern: 2 * index + 2)
            let word = unsafe slot[1].load(ordering: .acquiring)
            if word == 0 { return 0 }
            if unsafe slot[0].load(ordering: .relaxed) == key, isWanted(word) { return word }
            index = (index + 1) & mask
        }
    }

    /// The word for a key; 0 if there is none.
    @inline(__always)
    func find(_ key: UInt) -> UInt { find(key) { _ in true } }

    /// Adds a word, which is not 0; several may have the same key.
    func insert(_ word: UInt, for key: UInt) {
        let mask = unsafe words.pointee.load(ordering: .relaxed)
        var index = Self.hash(key) & mask
        while unsafe words[Int(bitPattern: 2 * index + 3)].load(ordering: .relaxed) != 0 { index = (index + 1) & mask }
        let slot = unsafe words + Int(bitPattern: 2 * index + 2)
        unsafe slot[0].store(key, ordering: .relaxed)
        unsafe slot[1].store(word, ordering: .releasing)
    }

    /// Addresses are aligned and often near each other, codes follow each other or differ by powers of ten: multiplied
    /// by the golden ratio they spread.
    @inline(__always)
    private static func hash(_ key: UInt) -> UInt {
        UInt(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}
