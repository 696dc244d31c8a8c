/// What lines with certain bytes have come to, so that the next such line costs a look-up.
///
/// Of a bounded size, and without an order to keep: a line has one of four places, and takes another one's where all
/// are taken. What is not kept is asked again.
struct KeptVerdicts<Verdict: Sendable>: Sendable {
    /// Where the verdict of a key is, or would be, and the key's hash; until the next one is kept.
    struct Place {
        fileprivate let hash: Int
        fileprivate let index: Int
        fileprivate var isOfKey = false
    }

    /// The bytes of a line that are kept; what decides in a line is rarely more than some hundred.
    private static var keyLimit: Int { 2_048 }
    private static var places: Int { 4 }

    private let count: Int
    // One after the other, since a look-up rarely needs more than the hashes.
    private var hashes: [Int] = []
    private var keys: [[UInt8]] = []
    private var verdicts: [Verdict?] = []

    /// - Parameter count: How many verdicts are kept at most; a power of two.
    init(count: Int = 2_048) {
        assert(count >= Self.places && count.nonzeroBitCount == 1, "places are found by the bits of a hash")
        self.count = count
    }

    /// Returns the place of a key.
    func place(of key: [UInt8]) -> Place {
        var hasher = Hasher()
        unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        let hash = hasher.finalize()
        let first = hash & (count - 1) & ~(Self.places - 1)
        if !hashes.isEmpty {
            for index in first..<first + Self.places where hashes[index] == hash && keys[index] == key {
                return Place(hash: hash, index: index, isOfKey: true)
            }
            for index in first..<first + Self.places where keys[index].isEmpty {
                return Place(hash: hash, index: index)
            }
        }
        // The last bits have chosen the four, so others choose among them.
        return Place(hash: hash, index: first + Int(truncatingIfNeeded: hash >> 40) & (Self.places - 1))
    }

    /// Returns the verdict of the key whose place it is; nil if none is kept.
    func verdict(at place: Place) -> Verdict? { place.isOfKey ? verdicts[place.index] : nil }

    /// Keeps the verdict of a key, unless the key is too long.
    mutating func keep(_ verdict: Verdict, of key: [UInt8], at place: Place) {
        assert(!key.isEmpty, "an empty key marks a place that is free")
        guard key.count <= Self.keyLimit else { return }
        if hashes.isEmpty {
            hashes = Array(repeating: 0, count: count)
            keys = Array(repeating: [], count: count)
            verdicts = Array(repeating: nil, count: count)
        }
        (hashes[place.index], keys[place.index], verdicts[place.index]) = (place.hash, key, verdict)
    }
}
