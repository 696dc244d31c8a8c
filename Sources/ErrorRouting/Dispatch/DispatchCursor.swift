/// One error's dispatch through the blocks of a path: the stages in order, the blocks of each, and the steps of each
/// block.
///
/// Handlers and maps share one traversal of the rules, ``DispatchPosition/next(for:_:on:_:)``. A handler's traversal
/// ends at an asynchronous rule; ``finish(_:under:)`` runs that rule and continues.
///
/// A cursor retains nothing that concurrent dispatches share: the rule set or the path's scopes retain blocks, plans,
/// and rules until the dispatch is over. It is noncopyable because it is large: it creates the report and the matchers'
/// results in place on first need.
struct DispatchCursor: ~Copyable {
    /// The end of a dispatch or of a part of it.
    enum End {
        case completed
        /// The next rule is asynchronous; the next part of the dispatch begins with it.
        case needsSuspension
        /// The task was cancelled; unless the dispatch was superseded, the next asynchronous action must begin in
        /// another task.
        case needsNewTask
        /// The supervisor has superseded the dispatch; its outcome is discarded.
        case superseded
        /// The same, and the action that was superseded has thrown; its failure is the last one.
        case failedAfterwards
    }

    private let path: Borrowed<BlockPath>
    private var position: DispatchPosition
    private var notes: DispatchNotes

    /// - Parameters:
    ///   - path: The blocks.
    ///   - notes: The dispatch's notes on the error.
    ///   - isAttempt: Whether the error is that of an attempt; only `always` actions run for it.
    @inline(__always)
    init(_ path: Borrowed<BlockPath>, _ notes: consuming DispatchNotes, isAttempt: Bool = false) {
        (self.path, position) = (path, DispatchPosition(isAttempt: isAttempt))
        self.notes = notes
    }

    /// Continues a dispatch.
    init(_ path: Borrowed<BlockPath>, _ notes: consuming DispatchNotes, from progress: DispatchProgress) {
        (self.path, position) = (path, progress.position)
        self.notes = notes
        self.notes.know(progress)
    }

    /// The dispatch's progress, for another worker.
    var progress: DispatchProgress { DispatchProgress(position: position, failures: failures, findings: notes.subject) }

    /// The error's disposition so far.
    @inline(__always)
    var disposition: HandleOutcome.Disposition { position.disposition }

    /// The failures of actions so far; nil if there are none.
    @inline(__always)
    var failures: [ActionFailure]? { notes.failures }

    /// The rule that stopped or, if none did, the last one that matched; nil if none did.
    @inline(__always)
    var decisive: Borrowed<Rule>? { position.decisive }

    /// The outcome so far; final after the last rule.
    @inline(__always)
    var outcome: HandleOutcome {
        let rule = position.decisive?.read { $0.registration.threadsOwnDescription }
        return HandleOutcome(
            disposition: disposition, matchedRuleCount: position.matchedRuleCount, rule: rule, failed: failures)
    }

    /// Finds the first rule of an error map that matches.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - value: Set to the rule's value; unchanged if no rule matches.
    /// - Returns: The rule; nil if none matches.
    @inline(__always)
    mutating func find<Value: Sendable>(_ error: any Error, _ value: inout Value) -> Borrowed<Rule>? {
        path.read { path in
            func find<Content: Error>(_ content: Content) -> Borrowed<Rule>? {
                Content.self == (any Error).self
                    ? self.find(UnboxedError(error).error, &value)
                    : self.find(content, UnboxedError(opened: error), on: path, &value)
            }
            return _openExistential(error, do: find)
        }
    }

    @inline(__always)
    private mutating func find<Content: Error, Value: Sendable>(
        _ content: Content, _ error: UnboxedError, on path: BlockPath, _ value: inout Value
    ) -> Borrowed<Rule>? {
        while let step = position.next(for: content, error, on: path, &notes) {
            let isMatch = step.rule.read { rule in
                // A map has no other rules.
                let rule = unsafe unsafeDowncast(rule, to: MapRule<Value>.self)
                return step.isKnown(of: Content.self)
                    ? rule.give(for: content, error, to: &value) : rule.giveIfMatching(error, &notes, to: &value)
            }
            if isMatch { return step.rule }
            position.removeNext()
        }
        return nil
    }

    // MARK: Without suspending

    /// Tries the remaining rules in order, up to the first asynchronous one.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - supervisor: An object that can supersede the dispatch.
    ///   - mustNotSuspend: Whether to stop before the `onNoMatch` rules if any of them is asynchronous.
    /// - Returns: The end of the dispatch.
    @inline(__always)
    mutating func run(
        _ error: any Error, under supervisor: (any ActionSupervisor)? = nil, mustNotSuspend: Bool = false
    ) -> End {
        path.read { path in
            // Open it once: that costs as much as looking up the rules.
            func run<Content: Error>(_ content: Content) -> End {
                Content.self == (any Error).self
                    ? runUnboxed(UnboxedError(error), under: supervisor, mustNotSuspend)
                    : self.run(
                        content, UnboxedError(opened: error), on: path, under: supervisor, mustNotSuspend)
            }
            return _openExistential(error, do: run)
        }
    }

    /// Works like the other method, but takes an opened error: a parameter, unlike a variable, needn't be retained.
    @inline(__always)
    private mutating func run<Content: Error>(
        _ content: Content, _ error: UnboxedError, on path: BlockPath, under supervisor: (any ActionSupervisor)?,
        _ mustNotSuspend: Bool
    ) -> End {
        while let step = position.next(for: content, error, on: path, &notes) {
            if step.traits.isAsynchronous
                || mustNotSuspend && position.stage == .onNoMatch && path.hasAsynchronous(.onNoMatch)
            {
                return .needsSuspension
            }
            if let supervisor, !supervisor.isCurrent { return .superseded }
            position.removeNext()
            do {
                if position.stage == .always, step.traits.needsReport { carryOutcome() }
                let isKnown = step.isKnown(of: Content.self)
                let answer = try step.rule.read { rule in
                    isKnown
                        ? try rule.act(on: content, error, &notes)
                        : try rule.actIfMatching(error, &notes, under: supervisor)
                }
                position.record(answer, of: step.rule)
            } catch let thrown {
                record(thrown, of: step.rule, error)
                if let supervisor { publishFailures(to: supervisor) }
            }
        }
        return .completed
    }

    @inline(never)
    private mutating func runUnboxed(
        _ error: UnboxedError, under supervisor: (any ActionSupervisor)?, _ mustNotSuspend: Bool = false
    ) -> End {
        run(error.error, under: supervisor, mustNotSuspend: mustNotSuspend)
    }

    /// Sets the report's outcome to the outcome so far, as in `always`.
    @inline(never)
    private mutating func carryOutcome() { notes.carry(outcome) }

    /// Records the error that a rule's action has thrown, which counts as a match and as `.next`.
    @inline(never)
    private mutating func record(_ thrown: any Error, of rule: Borrowed<Rule>, _ error: UnboxedError) {
        // The report of an `always` action's failure has the outcome so far, like the report of the action itself.
        if position.stage == .always { carryOutcome() }
        var progress = progress
        progress.record(thrown, of: rule.object, notes.made(for: error))
        position = progress.position
        notes.know(progress)
    }

    /// Passes on the failures so far, out of line: in the loop, this would cost each dispatch 5 ns.
    @inline(never)
    private func publishFailures(to supervisor: any ActionSupervisor) { supervisor.actionDidFail(progress) }

    // MARK: Suspending

    /// Tries the remaining rules in order, asynchronous ones included.
    ///
    /// It is inlined because each asynchronous call costs as much as looking up the rules.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - supervisor: An object that limits the time of asynchronous actions and can supersede the dispatch.
    @inline(__always)
    mutating func finish(_ error: UnboxedError, under supervisor: (any ActionSupervisor)?) async -> End {
        while true {
            let end = runUnboxed(error, under: supervisor)
            guard end == .needsSuspension else { return end }
            if let supervisor, supervisor.isTaskCancelled { return .needsNewTask }
            guard let step = position.removeNext() else {
                preconditionFailure("a dispatch that pauses has a next rule")
            }
            if position.stage == .always { carryOutcome() }
            do {
                let (rule, isCertain) = (step.rule.object, step.certainty == .certain)
                let answer =
                    if let supervisor {
                        try await actSuspending(rule, error, isCertain: isCertain, under: supervisor)
                    } else if isCertain, !step.traits.needsReport {
                        try await rule.actSuspending(on: error)
                    } else {
                        try await rule.actSuspending(error, &notes, isCertain: isCertain) { true }
                    }
                if let supervisor, !supervisor.actionDidEnd() { return .superseded }
                position.record(answer, of: step.rule)
            } catch let thrown {
                let isCurrent = supervisor?.actionDidEnd() ?? true
                // Also record the error of a superseded dispatch, which the supervisor reports.
                record(thrown, of: step.rule, error)
                if !isCurrent { return .failedAfterwards }
                if let supervisor { publishFailures(to: supervisor) }
            }
            if position.isStageOver, !path.read({ position.advance(on: $0) }) { return .completed }
        }
    }

    /// Runs an asynchronous rule under a supervisor.
    private mutating func actSuspending(
        _ rule: Rule, _ error: UnboxedError, isCertain: Bool, under supervisor: any ActionSupervisor
    ) async throws -> HandleStrategy? {
        let made = notes.made(for: error)
        let action = SupervisedAction(rule: rule, progress: progress, report: made)
        return try await supervisor.supervising(made) {
            try await rule.actSuspending(error, &notes, isCertain: isCertain) { supervisor.actionWillBegin(action) }
        }
    }
}
