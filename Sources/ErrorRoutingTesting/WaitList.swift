/// Tasks that wait, each of which may be cancelled before, while and after it does: a plain value, to be kept under a
/// lock.
struct WaitList<Info> {
    typealias Continuation = CheckedContinuation<Void, any Error>

    private enum Place {
        /// Reserved, by a task that is about to wait.
        case reserved
        case taken(Info, Continuation)
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

    /// Gives a reserved place up, as the task does not have to wait.
    mutating func giveUp(_ id: UInt64) {
        places[id] = nil
    }

    /// Waits at a reserved place.
    ///
    /// Returns whether it does; if not, it was cancelled.
    mutating func take(_ id: UInt64, _ info: Info, _ continuation: Continuation) -> Bool {
        if case .cancelled = places.removeValue(forKey: id) { return false }
        places[id] = .taken(info, continuation)
        count += 1
        return true
    }

    /// Cancels a place.
    ///
    /// Returns whom to wake with `CancellationError`.
    mutating func cancel(_ id: UInt64) -> Continuation? {
        switch places[id] {
        case .taken(_, let continuation):
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

    /// Lets go whom a condition names.
    ///
    /// Returns whom to wake.
    mutating func release(where isReleased: (Info) -> Bool) -> [(info: Info, continuation: Continuation)] {
        var released: [(info: Info, continuation: Continuation)] = []
        for (id, place) in places {
            guard case .taken(let info, let continuation) = place, isReleased(info) else { continue }
            places[id] = nil
            released.append((info, continuation))
        }
        count -= released.count
        return released
    }
}
