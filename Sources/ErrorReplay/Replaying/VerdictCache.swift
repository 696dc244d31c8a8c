/// Caches the results of lines by their deciding bytes, so that a line with the same bytes costs only one lookup.
///
/// The size is bounded, and the cache doesn't record an order of use. A line has four possible slots. If all four are
/// taken, the line replaces another line. A line that isn't cached is evaluated again.
struct VerdictCache<Verdict: Sendable>: Sendable {
    /// The slot of a key, or the slot in which the key can be stored, and the key's hash.
    ///
    /// It is valid until the next verdict is cached.
    struct Slot {
        fileprivate let hash: Int
        fileprivate let index: Int
        fileprivate var isOfKey = false
    }

    /// The maximum length of a cached key; the deciding bytes of a line are rarely longer than a few hundred bytes.
    private static var keyLimit: Int { 2_048 }
    private static var slotCount: Int { 4 }

    private let count: Int
    // Keep separate arrays, because a lookup rarely needs more than the hashes.
    private var hashes: [Int] = []
    private var keys: [[UInt8]] = []
    private var verdicts: [Verdict?] = []

    /// `count` is the maximum number of cached verdicts, which must be a power of two.
    init(count: Int = 2_048) {
        assert(count >= Self.slotCount && count.nonzeroBitCount == 1, "slots are found by the bits of a hash")
        self.count = count
    }

    /// Returns the slot for a key.
    func slot(of key: [UInt8]) -> Slot {
        let hash = Self.hash(of: key)
        let first = hash & (count - 1) & ~(Self.slotCount - 1)
        if !hashes.isEmpty {
            for index in first..<first + Self.slotCount where hashes[index] == hash && keys[index] == key {
                return Slot(hash: hash, index: index, isOfKey: true)
            }
            for index in first..<first + Self.slotCount where keys[index].isEmpty {
                return Slot(hash: hash, index: index)
            }
        }
        // Choose by higher bits, because the lowest bits have already selected the four slots.
        return Slot(hash: hash, index: first + Int(truncatingIfNeeded: hash >> 40) & (Self.slotCount - 1))
    }

    /// Returns the hash of a key.
    ///
    /// `Hasher` would take up to a tenth more instructions per line. It protects against keys that are chosen to have
    /// the same hash, but such keys are harmless here: they only replace each other.
    private static func hash(of key: [UInt8]) -> Int {
        unsafe key.withUnsafeBytes { bytes in
            var (hash, offset) = (UInt64(bytes.count), 0)
            func combine(_ word: UInt64) {
                hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 32
            }
            while offset + 8 <= bytes.count {
                unsafe combine(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            while offset < bytes.count {
                unsafe combine(UInt64(bytes[offset]))
                offset += 1
            }
            return Int(truncatingIfNeeded: hash)
        }
    }

    /// Returns the verdict in a slot; nil if the slot doesn't contain the key.
    func verdict(at slot: Slot) -> Verdict? { slot.isOfKey ? verdicts[slot.index] : nil }

    /// Caches the verdict of a key, unless the key is too long.
    mutating func store(_ verdict: Verdict, of key: [UInt8], at slot: Slot) {
        assert(!key.isEmpty, "an empty key marks a free slot")
        guard key.count <= Self.keyLimit else { return }
        if hashes.isEmpty {
            hashes = Array(repeating: 0, count: count)
            keys = Array(repeating: [], count: count)
            verdicts = Array(repeating: nil, count: count)
        }
        (hashes[slot.index], keys[slot.index], verdicts[slot.index]) = (slot.hash, key, verdict)
    }
}
