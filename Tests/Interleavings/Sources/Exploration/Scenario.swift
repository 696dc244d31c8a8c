/// A small program whose schedules are explored.
package struct Scenario: Sendable {
    /// The name, with hyphens between its words.
    package let name: String
    /// The bounds of a normal exploration and of a long exploration.
    package let bound: Bound
    package let longBound: Bound
    /// Creates the threads and their shared state; called once for each schedule.
    package let arrange: @Sendable () -> Execution
    /// Returns whether all objects of the last execution are released; called between executions.
    package let isReleased: @Sendable () -> Bool

    package init(
        _ name: String, _ bound: Bound, long longBound: Bound? = nil, isReleased: @escaping @Sendable () -> Bool,
        _ arrange: @escaping @Sendable () -> Execution
    ) {
        (self.name, self.bound, self.longBound) = (name, bound, longBound ?? bound)
        (self.isReleased, self.arrange) = (isReleased, arrange)
    }
}

/// Threads that run concurrently, and the check after them.
package struct Execution {
    let threads: [() -> Void]
    let check: () -> Void
    let invariant: (() -> Void)?

    /// - Parameters:
    ///   - threads: The bodies of the threads, at most seven.
    ///   - invariant: Called between steps, after a change. It reads the newest values and calls ``Explorer/fail(_:)``
    ///     if they are wrong.
    ///   - check: Called once all threads have finished. It calls ``Explorer/fail(_:)`` if something is wrong.
    package init(_ threads: [() -> Void], invariant: (() -> Void)? = nil, check: @escaping () -> Void) {
        (self.threads, self.invariant, self.check) = (threads, invariant, check)
    }
}

/// The limits that a schedule must not exceed to be explored.
package struct Bound: Sendable, CustomStringConvertible {
    /// How often a thread that could continue can be interrupted; nil for any number.
    package var preemptions: Int?
    /// How often an atomic load can find a value that was already replaced.
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

/// A location in the source code.
package struct Site: Sendable {
    package let file: StaticString
    package let line: UInt

    @inline(__always)
    package init(_ file: StaticString, _ line: UInt) { (self.file, self.line) = (file, line) }
}
