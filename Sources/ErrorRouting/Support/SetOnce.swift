import Synchronization

/// A reference that is set once, by whoever comes first, and read without a lock.
///
/// In place of `AtomicLazyReference`, for two reasons: a look at the object need not retain it, and the thread
/// sanitizer sees the order between who makes it and who reads it, which it does not where the atomic access is in the
/// system's library.
///
/// Unchecked for the address: it is read and written atomically, and what is there lives as long as this.
@safe struct SetOnce<Instance: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
    private let address = Atomic<UInt>(0)

    deinit { unsafe unretained?.release() }

    /// The object, once it is set.
    var value: Instance? { unsafe unretained?.takeUnretainedValue() }

    /// The object, not retained.
    @inline(__always)
    var unretained: Unmanaged<Instance>? {
        unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// Sets the object, unless somebody else has done so.
    ///
    /// - Returns: The object that was set first, not retained.
    func set(_ made: consuming Instance) -> Unmanaged<Instance> {
        let made = unsafe Unmanaged.passRetained(made)
        let (isFirst, other) = unsafe address.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: made.toOpaque()),
            ordering: .acquiringAndReleasing
        )
        guard !isFirst, let winner = unsafe UnsafeRawPointer(bitPattern: other) else { return unsafe made }
        unsafe made.release()
        return unsafe Unmanaged.fromOpaque(winner)
    }
}
