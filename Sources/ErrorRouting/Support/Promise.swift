import Synchronization

/// A value that is set once, and for which any number of tasks can wait.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Void, Never>])
        case fulfilled(Value)
    }

    private let state = Locked(State.waiting([]))

    package init() {}

    /// Sets the value and resumes the waiting tasks; later calls have no effect.
    package func fulfill(_ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard case .waiting(let waiters) = state else { return [] }
            state = .fulfilled(value)
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The value; waits until it is set, even if the waiting task is cancelled.
    package var value: Value {
        get async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isFulfilled = state.withLock { state -> Bool in
                    guard case .waiting(let waiters) = state else { return true }
                    state = .waiting(waiters + [continuation])
                    return false
                }
                if isFulfilled { continuation.resume() }
            }
            // Read under the lock instead of passed by the continuation: if a task is resumed before it has suspended,
            // the thread sanitizer sees no order between the resuming thread and the task.
            return state.withLock { state in
                guard case .fulfilled(let value) = state else { preconditionFailure("the promise is not fulfilled") }
                return value
            }
        }
    }
}

/// A reference that the first caller sets, and that is read without a lock.
///
/// It replaces `AtomicLazyReference` for two reasons: a reader need not retain the object, and the thread sanitizer
/// sees the order between the thread that made the object and its readers. It does not see that order if the atomic
/// access is in the system's library, which is not instrumented.
///
/// `@unchecked` because of the address: it is accessed atomically, and the object lives as long as this value.
@safe struct SetOnce<Instance: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
    private let address = Atomic<UInt>(0)

    deinit { unsafe unretained?.release() }

    /// The object; nil until it is set.
    var value: Instance? { unsafe unretained?.takeUnretainedValue() }

    /// The object, not retained; nil until it is set.
    @inline(__always)
    var unretained: Unmanaged<Instance>? {
        unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// Sets the object, unless another one was set before.
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
