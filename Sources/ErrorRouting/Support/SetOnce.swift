import Synchronization

/// A reference that the first caller sets and that is read without a lock.
///
/// It replaces `AtomicLazyReference` for two reasons: a reader need not retain the object, and the thread sanitizer
/// sees the order between the thread that created the object and its readers. It doesn't see that order if the atomic
/// access is in the system's library, which isn't instrumented.
///
/// `@unchecked` because of the address: it is accessed atomically, and the object lives as long as this value. Several
/// threads can use that object, which no `ManagedBuffer` can declare.
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

    /// Sets the object unless another one was set before.
    ///
    /// - Returns: The object that was set first, not retained.
    func set(_ made: consuming Instance) -> Borrowed<Instance> {
        let made = unsafe Unmanaged.passRetained(made)
        let (isFirst, other) = unsafe address.replace(0, by: UInt(bitPattern: made.toOpaque()))
        guard !isFirst, let winner = unsafe Borrowed<Instance>(at: other) else { return unsafe Borrowed(made) }
        unsafe made.release()
        return winner
    }
}

extension Atomic where Value == UInt {
    /// Replaces the value if it is the expected one; returns whether it did so and the value found.
    ///
    /// It acquires and releases: the thread that replaces an address publishes the object there, and a later thread
    /// finds it.
    @inline(__always)
    func replace(_ expected: UInt, by desired: UInt) -> (isReplaced: Bool, found: UInt) {
        let result = compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
        return (result.exchanged, result.original)
    }
}
