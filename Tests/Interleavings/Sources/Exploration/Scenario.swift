/// A small program; each of its schedules is explored.
package struct Scenario: Sendable {
    /// The name: words with hyphens.
    package let name: String
    /// The bound of the exploration, and the bound of a long one.
    package let bound: Bound
    package let longBound: Bound
    /// Creates the threads and their shared state, once for each schedule.
    package let arrange: @Sendable () -> Execution
    /// Whether all objects of the last execution are released; called between executions.
    package let isReleased: @Sendable () -> Bool

    package init(
        _ name: String, _ bound: Bound, long longBound: Bound? = nil, isReleased: @escaping @Sendable () -> Bool,
        _ arrange: @escaping @Sendable () -> Execution
    ) {
        (self.name, self.bound, self.longBound) = (name, bound, longBound ?? bound)
        (self.isReleased, self.arrange) = (isReleased, arrange)
    }
}

/// Threads that run at once, and the check after them.
package struct Execution {
    let threads: [() -> Void]
    let check: () -> Void
    let invariant: (() -> Void)?

    /// - Parameters:
    ///   - threads: The threads; at most seven.
    ///   - invariant: Called between any two steps. It reads the newest values.
    ///   - check: Called once all threads have ended. Both call ``Explorer/fail(_:)`` if something is wrong.
    package init(_ threads: [() -> Void], invariant: (() -> Void)? = nil, check: @escaping () -> Void) {
        (self.threads, self.invariant, self.check) = (threads, invariant, check)
    }
}

/// The explored schedules: all that don't exceed a bound.
package struct Bound: Sendable, CustomStringConvertible {
    /// How often a thread that could continue may be interrupted; nil for any number.
    package var preemptions: Int?
    /// How often an atomic load may find a value that was already replaced.
    package var staleReads: Int

    package static func preemptions(_ count: Int, staleReads: Int = 1) -> Bound {
        Bound(preemptions: count, staleReads: staleReads)
    }
    package static func none(staleReads: Int = 2) -> Bound { Bound(preemptions: nil, staleReads: staleReads) }

    package var description: String {
        let preemptions = preemptions.map { $0 == 1 ? "1 preemption" : "\($0) preemptions" } ?? "any preemptions"
        return preemptions + (staleReads == 1 ? ", 1 stale read" : ", \(staleReads) stale reads")
    }
}

/// A location in the source.
package struct Site: Sendable {
    package let file: StaticString
    package let line: UInt

    @inline(__always)
    package init(_ file: StaticString, _ line: UInt) { (self.file, self.line) = (file, line) }
}
