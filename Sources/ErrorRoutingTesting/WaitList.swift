/// A list of waiting tasks, which can be cancelled before, while, and after they wait.
///
/// It is a plain value for use under a lock.
struct WaitList<Info> {
    typealias Continuation = CheckedContinuation<Void, any Error>

    private enum Slot {
        /// A task reserved the slot and is about to wait.
        case reserved
        case occupied(Info, Continuation)
        /// The task was cancelled before it began to wait.
        case cancelled
    }

    private var slots: [UInt64: Slot] = [:]
    private var lastID: UInt64 = 0

    /// The number of waiting tasks.
    private(set) var count = 0

    mutating func reserve() -> UInt64 {
        lastID += 1
        slots[lastID] = .reserved
        return lastID
    }

    /// Frees a reserved slot because its task doesn't have to wait.
    mutating func free(_ id: UInt64) {
        slots[id] = nil
    }

    /// Stores a waiting task's continuation in its reserved slot; returns false if the slot was cancelled.
    mutating func occupy(_ id: UInt64, _ info: Info, _ continuation: Continuation) -> Bool {
        if case .cancelled = slots.removeValue(forKey: id) { return false }
        slots[id] = .occupied(info, continuation)
        count += 1
        return true
    }

    /// Cancels a slot, and returns the continuation to resume with `CancellationError`; nil if no task waits there.
    mutating func cancel(_ id: UInt64) -> Continuation? {
        switch slots[id] {
        case .occupied(_, let continuation):
            slots[id] = nil
            count -= 1
            return continuation
        case .reserved:
            slots[id] = .cancelled
            return nil
        case .cancelled, nil:
            return nil
        }
    }

    /// Removes the waiting tasks whose `info` satisfies a condition, and returns their continuations to resume.
    mutating func release(where isReleased: (Info) -> Bool) -> [(info: Info, continuation: Continuation)] {
        var released: [(info: Info, continuation: Continuation)] = []
        for (id, slot) in slots {
            guard case .occupied(let info, let continuation) = slot, isReleased(info) else { continue }
            slots[id] = nil
            released.append((info, continuation))
        }
        count -= released.count
        return released
    }
}
