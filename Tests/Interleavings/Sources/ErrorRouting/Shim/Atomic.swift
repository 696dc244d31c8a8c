import Exploration
import Synchronization

/// Shadows `Synchronization.Atomic` in all files of this module, so that the explorer controls each access.
///
/// It contains a real atomic, which provides the layout and the address that identifies the location. This memory
/// always contains the newest value. While no scenario thread is running, an access only reads or writes this memory.
@safe struct Atomic<Value: AtomicRepresentable>: ~Copyable, @unchecked Sendable {
    private let storage: Synchronization.Atomic<Value>

    init(_ value: consuming Value) { storage = .init(value) }

    // Forget the address: a later object on the stack might have the same address.
    deinit { Explorer.active?.forget(address) }

    func load(ordering: AtomicLoadOrdering, file: StaticString = #fileID, line: UInt = #line) -> Value {
        guard let explorer = Explorer.active else { return decode(bits) }
        return decode(explorer.load(address, bits, acquires: ordering != .relaxed, at: Site(file, line)))
    }

    func store(
        _ value: consuming Value, ordering: AtomicStoreOrdering, file: StaticString = #fileID, line: UInt = #line
    ) {
        let new = encode(value)
        Explorer.active?.store(address, bits, new, releases: ordering != .relaxed, at: Site(file, line))
        bits = new
    }

    func exchange(
        _ value: consuming Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
    ) -> Value {
        let new = encode(value)
        return decode(change(ordering, Site(file, line)) { _ in new })
    }

    func compareExchange(
        expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering,
        file: StaticString = #fileID, line: UInt = #line
    ) -> (exchanged: Bool, original: Value) {
        let (old, new) = (encode(expected), encode(desired))
        let found = change(ordering, Site(file, line)) { $0 == old ? new : nil }
        return (found == old, decode(found))
    }

    func compareExchange(
        expected: consuming Value, desired: consuming Value, successOrdering: AtomicUpdateOrdering,
        failureOrdering: AtomicLoadOrdering, file: StaticString = #fileID, line: UInt = #line
    ) -> (exchanged: Bool, original: Value) {
        let (old, new) = (encode(expected), encode(desired))
        let found = change(successOrdering, onFailure: failureOrdering, Site(file, line)) { $0 == old ? new : nil }
        return (found == old, decode(found))
    }

    // MARK: Details

    @inline(__always)
    private func change(
        _ ordering: AtomicUpdateOrdering, onFailure: AtomicLoadOrdering? = nil, _ site: Site,
        _ transform: (UInt64) -> UInt64?
    ) -> UInt64 {
        guard let explorer = Explorer.active else {
            let found = bits
            if let new = transform(found) { bits = new }
            return found
        }
        let (found, new) = explorer.change(
            address, bits, acquires: ordering.acquires, releases: ordering.releases,
            acquiresOnFailure: onFailure.map { $0 != .relaxed } ?? ordering.acquires, at: site, transform)
        if let new { bits = new }
        return found
    }

    @inline(__always)
    private var address: UInt { unsafe withUnsafePointer(to: storage) { UInt(bitPattern: $0) } }

    @inline(__always)
    private var pointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(bitPattern: address)! }

    @inline(__always)
    private var bits: UInt64 {
        get { unsafe widened(pointer.loadUnaligned(as: Value.AtomicRepresentation.self)) }
        nonmutating set {
            unsafe withUnsafeBytes(of: newValue) { unsafe pointer.copyMemory(from: $0.baseAddress!, byteCount: size) }
        }
    }

    @inline(__always)
    private var size: Int { MemoryLayout<Value.AtomicRepresentation>.size }

    @inline(__always)
    private func encode(_ value: consuming Value) -> UInt64 { widened(Value.encodeAtomicRepresentation(value)) }

    @inline(__always)
    private func widened(_ representation: consuming Value.AtomicRepresentation) -> UInt64 {
        var bits: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &bits) {
            unsafe $0.storeBytes(of: representation, as: Value.AtomicRepresentation.self)
        }
        return bits
    }

    @inline(__always)
    private func decode(_ bits: UInt64) -> Value {
        unsafe withUnsafeBytes(of: bits) {
            unsafe Value.decodeAtomicRepresentation($0.loadUnaligned(as: Value.AtomicRepresentation.self))
        }
    }
}

extension Atomic where Value: FixedWidthInteger {
    @discardableResult
    func wrappingAdd(
        _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
    ) -> (oldValue: Value, newValue: Value) {
        update(ordering, Site(file, line)) { $0 &+ operand }
    }

    @discardableResult
    func wrappingSubtract(
        _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: UInt = #line
    ) -> (oldValue: Value, newValue: Value) {
        update(ordering, Site(file, line)) { $0 &- operand }
    }

    private func update(
        _ ordering: AtomicUpdateOrdering, _ site: Site, _ transform: (Value) -> Value
    ) -> (oldValue: Value, newValue: Value) {
        let old = decode(change(ordering, site) { encode(transform(decode($0))) })
        return (old, transform(old))
    }
}

extension AtomicUpdateOrdering {
    fileprivate var acquires: Bool { self != .relaxed && self != .releasing }
    fileprivate var releases: Bool { self != .relaxed && self != .acquiring }
}
