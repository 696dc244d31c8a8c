import Synchronization

/// A reference that is set once and read without a lock.
///
/// It replaces `AtomicLazyReference` for two reasons. Readers needn't retain the object. The thread sanitizer sees the
/// order between the thread that created the object and its readers; it can't if the atomic access is in a system
/// library, which isn't instrumented.
///
/// `@unchecked` because of the address: it is accessed atomically, and the object lives as long as this value. The
/// object can be used by several threads at the same time, which a `ManagedBuffer` can't declare.
@safe struct SetOnce<Instance: AnyObject>: ~Copyable, @unchecked Sendable {
    private let address = Atomic<UInt>(0)

    deinit {
        guard let object = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .relaxed)) else { return }
        unsafe Unmanaged<Instance>.fromOpaque(object).release()
    }

    /// The object; nil until it is set.
    var value: Instance? { borrowed?.object }

    /// The object, not retained; nil until it is set.
    @inline(__always)
    var borrowed: Borrowed<Instance>? { unsafe Borrowed(at: address.load(ordering: .acquiring)) }

    /// Sets the object unless an object was set before; returns the object that was set first, not retained.
    ///
    /// The exchange acquires and releases: it publishes the object to threads that find its address later.
    func set(_ made: consuming Instance) -> Borrowed<Instance> {
        let made = unsafe Unmanaged.passRetained(made)
        let (isFirst, other) = unsafe address.compareExchange(
            expected: 0, desired: UInt(bitPattern: made.toOpaque()), ordering: .acquiringAndReleasing)
        guard !isFirst, let winner = unsafe Borrowed<Instance>(at: other) else { return unsafe Borrowed(made) }
        unsafe made.release()
        return winner
    }
}
