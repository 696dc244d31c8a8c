/// A list of waiting tasks, which may be cancelled before, while and after they wait: a plain value, for use under a
/// lock.
struct WaitList<Info> {
    typealias Continuation = CheckedContinuation<Void, any Error>

    private enum Place {
        /// Reserved by a task that is about to wait.
        case reserved
        case occupied(Info, Continuation)
        /// Cancelled before the task began to wait.
        case cancelled
    }

    private var places: [UInt64: Place] = [:]
    private var lastID: UInt64 = 0

    /// How many tasks wait.
    private(set) var count = 0

    mutating func reserve() -> UInt64 {
        lastID += 1
        places[lastID] = .reserved
        return lastID
    }

    /// Frees a reserved place whose task does not have to wait.
    mutating func free(_ id: UInt64) {
        places[id] = nil
    }

    /// Puts a waiting task's continuation at its reserved place.
    ///
    /// - Returns: Whether the task waits; false if the place was cancelled.
    mutating func occupy(_ id: UInt64, _ info: Info, _ continuation: Continuation) -> Bool {
        if case .cancelled = places.removeValue(forKey: id) { return false }
        places[id] = .occupied(info, continuation)
        count += 1
        return true
    }

    /// Cancels a place.
    ///
    /// - Returns: The continuation to resume with `CancellationError`, if a task waits there.
    mutating func cancel(_ id: UInt64) -> Continuation? {
        switch places[id] {
        case .occupied(_, let continuation):
            places[id] = nil
            count -= 1
            return continuation
        case .reserved:
            places[id] = .cancelled
            return nil
        case .cancelled, nil:
            return nil
        }
    }

    /// Removes the waiting tasks for which a condition holds.
    ///
    /// - Returns: The continuations to resume.
    mutating func release(where isReleased: (Info) -> Bool) -> [(info: Info, continuation: Continuation)] {
        var released: [(info: Info, continuation: Continuation)] = []
        for (id, place) in places {
            guard case .occupied(let info, let continuation) = place, isReleased(info) else { continue }
            places[id] = nil
            released.append((info, continuation))
        }
        count -= released.count
        return released
    }
}
