import ErrorRouting

/// The errors that a circuit's `run` has thrown and counted, and that may yet come back in a report: a plain value.
///
/// A Swift error has no identity: whoever catches one as its own type and posts it has made another box of it. So an
/// error is known again by its text, its type and those under it included. Each that was thrown accounts for one
/// report: whichever of two equal errors is reported first, both count once in the end. What is not reported within the
/// window is forgotten, as it no longer counts either.
struct ThrownErrors {
    /// What an error is known again by: its text, of which no more is kept than a hash and the length.
    ///
    /// Two texts with the same of both, which is next to impossible, would cost one count.
    struct Key: Equatable {
        private let hash: Int
        private let length: Int

        /// Asks the error for its text, so not to be called under a lock.
        init(_ error: any Error) {
            // The line that the library itself writes: bounded, without addresses, the same for equal errors.
            let text = ErrorReport(error: error, source: .init(fileID: "", line: 0)).description
            hash = text.hashValue
            length = text.utf8.count
        }
    }

    /// As many as are remembered; of more, the oldest are forgotten, and count twice if they are reported after all.
    static let limit = 1_024

    private let lifetime: Duration
    /// The oldest first.
    private var thrown: [(key: Key, moment: Duration)] = []

    init(lifetime: Duration) { self.lifetime = lifetime }

    /// How many are remembered.
    var count: Int { thrown.count }

    /// Remembers an error that was thrown.
    mutating func add(_ key: Key, at now: Duration) {
        forget(at: now)
        if thrown.count == Self.limit { thrown.removeFirst() }
        thrown.append((key, now))
    }

    /// Takes back as many errors as a report stands for.
    ///
    /// - Parameters:
    ///   - key: The reported error.
    ///   - count: For how many errors the report stands.
    ///   - now: The moment of the report.
    /// - Returns: How many of those this circuit has thrown, and counted already.
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
