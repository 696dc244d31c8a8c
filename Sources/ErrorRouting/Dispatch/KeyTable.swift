/// Keys with consecutive numbers, found by hash.
///
/// Unlike a dictionary, the table doesn't trap if the user's `==` and `hash` are inconsistent. The keys are in their
/// own memory, because the runtime would look up the type of a generic array on every call.
///
/// `@unchecked` because the table changes only while it is created.
final class KeyTable<Key: Equatable>: @unchecked Sendable {
    private var keys: FixedArray<Key>
    /// Each key's number plus one, by the key's hash.
    private let table: ProbeTable

    init(room: Int) {
        keys = FixedArray(capacity: room)
        table = ProbeTable(room: room)
    }

    deinit { table.deallocate() }

    /// Returns the number of a key, which is added unless it is already known.
    func number(adding key: Key, hash: Int) -> Int {
        if let known = number(of: key, hash: hash) { return known }
        keys.append(key)
        table.insert(UInt(keys.count), for: UInt(bitPattern: hash))
        return keys.count - 1
    }

    /// Returns the number of a key; nil if it is unknown.
    @inline(__always)
    func number(of key: Key, hash: Int) -> Int? {
        // Put the wanted key first, like the error in a matcher's comparison: a user's `==` might not be symmetric.
        let found = table.find(UInt(bitPattern: hash)) { key == keys[Int(bitPattern: $0) - 1] }
        return found == 0 ? nil : Int(bitPattern: found) - 1
    }
}
