/// A reference that doesn't retain its object.
///
/// The creator of the reference must ensure that other code retains the object while the reference is used.
///
/// Concurrent dispatches read shared objects through these references. If each dispatch retained an object, all of them
/// would write to one reference count, and the throughput wouldn't grow with the number of cores.
///
/// `@unchecked` because of the address; the object's class must itself be safe to share.
@safe struct Borrowed<Object: AnyObject>: @unchecked Sendable {
    private let reference: Unmanaged<Object>

    /// - Precondition: The object lives longer than this value and its copies.
    @inline(__always)
    init(_ object: Object) { unsafe reference = .passUnretained(object) }

    @unsafe @inline(__always)
    init(_ reference: Unmanaged<Object>) { unsafe self.reference = unsafe reference }

    /// Reads the object at an address, which must be the address of an object of this class.
    @unsafe @inline(__always)
    init?(at address: UInt) {
        guard let address = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        unsafe reference = .fromOpaque(address)
    }

    /// Calls a closure with the object without retaining it.
    @inline(__always)
    func read<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        try unsafe reference._withUnsafeGuaranteedRef(body)
    }

    /// The object, retained.
    var object: Object { unsafe reference.takeUnretainedValue() }

    /// The object's address.
    var address: UInt { unsafe UInt(bitPattern: reference.toOpaque()) }
}
