import ErrorRouting

/// The errors that a circuit's `run` has thrown and counted, and that may be posted later: a plain value.
///
/// A Swift error has no identity: catching an error as its concrete type and posting it puts it into a new box. So an
/// error is recognised by its text, which includes its type and its underlying errors. Each thrown error stands for one
/// reported error. Of two equal errors it does not matter which is reported first: each counts once. An error that is
/// not reported within the window is forgotten, since it does not count any more either.
struct ThrownErrors {
    /// Identifies an error by the hash and the length of its text.
    ///
    /// If two different texts had the same hash and length, one failure would not be counted.
    struct Key: Equatable {
        private let hash: Int
        private let length: Int

        /// Makes the key of an error; runs the error's own code, so it must not be called under a lock.
        init(_ error: any Error) {
            // The report's own description is bounded, has no addresses, and is the same for equal errors.
            let text = ErrorReport(error: error, source: .init(fileID: "", line: 0)).description
            hash = text.hashValue
            length = text.utf8.count
        }
    }

    /// How many errors are remembered; older ones are forgotten, and would count twice if they were reported later.
    static let limit = 1_024

    private let lifetime: Duration
    /// The oldest first.
    private var thrown: [(key: Key, moment: Duration)] = []

    init(lifetime: Duration) { self.lifetime = lifetime }

    /// The number of remembered errors.
    var count: Int { thrown.count }

    /// Remembers an error that was thrown.
    mutating func add(_ key: Key, at now: Duration) {
        forget(at: now)
        if thrown.count == Self.limit { thrown.removeFirst() }
        thrown.append((key, now))
    }

    /// Removes the remembered errors that a report stands for.
    ///
    /// - Parameters:
    ///   - key: The reported error.
    ///   - count: How many errors the report stands for.
    ///   - now: The moment of the report.
    /// - Returns: How many errors were removed: the circuit has counted them.
    /// - Complexity: O(number of remembered errors).
    mutating func take(_ key: Key, upTo count: Int, at now: Duration) -> Int {
        forget(at: now)
        var taken = 0
        thrown.removeAll { entry in
            if taken == count || entry.key != key { return false }
            taken += 1
            return true
        }
        return taken
    }

    private mutating func forget(at now: Duration) {
        let lifetime = lifetime
        let first = thrown.firstIndex { now - $0.moment < lifetime } ?? thrown.endIndex
        thrown.removeSubrange(..<first)
    }
}
