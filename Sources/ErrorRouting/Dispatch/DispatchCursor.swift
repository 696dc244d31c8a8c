/// One error's way through the blocks of a path: the stages in order, the blocks of each, and the steps of each block.
///
/// There is one way through the rules, ``next(for:_:on:)``, for handlers and maps. A handler's ends at an asynchronous
/// rule; ``finish(_:under:)`` lets that act, and goes on.
///
/// Retains nothing that concurrent dispatches share: the rule set, or the scopes of the path, hold blocks, plans and
/// rules until the dispatch is over. Noncopyable, since it is large: its report and what matchers find out are made in
/// it, when they are first needed.
struct DispatchCursor: ~Copyable {
    /// How a dispatch, or a part of it, has ended.
    enum End {
        case completed
        /// The next rule is asynchronous: whoever goes on begins with it.
        case needsSuspension
        /// The task was cancelled: unless the dispatch was superseded, the next asynchronous action has to begin in
        /// another task.
        case needsNewTask
        /// The supervisor has superseded the dispatch, whose outcome is discarded.
        case superseded
    }

    private let path: Borrowed<BlockPath>
    private(set) var progress: DispatchProgress
    private var report: LazyReport
    /// The steps of this block that are left; nil if they have to be looked up.
    ///
    /// Kept over pauses: to look them up again would ask the error's `==` again, and skip those that were tried.
    private var steps: RuleStepCursor?
    /// The asynchronous step at which the dispatch waits.
    private var waiting: RuleStep?

    /// - Parameters:
    ///   - path: The blocks.
    ///   - report: The error's report.
    ///   - progress: How far the dispatch has come.
    @inline(__always)
    init(_ path: Borrowed<BlockPath>, _ report: consuming LazyReport, from progress: DispatchProgress = .init()) {
        self.path = path
        self.report = report
        self.progress = progress
    }

    /// Takes the outcome; the dispatch must be over.
    @inline(__always)
    mutating func takeOutcome() -> HandleOutcome { progress.takeOutcome() }

    /// Whether no other rule of any stage is tried.
    @inline(__always)
    private func isOver(on path: BlockPath) -> Bool {
        progress.isStageOver && (progress.stage == .always || !path.stages.contains(.always))
    }

    /// Takes the next step that is to be tried; returns nil after the last.
    @inline(__always)
    private mutating func next<Content: Error>(
        for content: Content, _ error: any Error, on path: BlockPath
    ) -> RuleStep? {
        if path.count == 0 { return nil }
        while true {
            if !progress.isStageOver {
                if steps == nil {
                    let block = path.block(progress.block, progress.stage)
                    steps = block.read { $0.steps(for: content, error, progress.stage, &report) }
                    if progress.lastOrder >= 0 { steps?.drop(through: progress.lastOrder) }
                }
                if let step = steps?.next(for: error, of: Content.self) { return step }
            }
            steps = nil
            guard progress.advance(on: path) else { return nil }
        }
    }

    /// Finds the first rule of an error map that matches.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - value: Set to the rule's value; unchanged if no rule matches.
    /// - Returns: The rule; nil if none matches.
    mutating func find<Value: Sendable>(_ error: any Error, _ value: inout Value) -> Borrowed<Rule>? {
        path.read { path in
            func find<Content: Error>(_ content: Content) -> Borrowed<Rule>? {
                if Content.self == (any Error).self { return self.find(ErrorBox.unboxed(error), &value) }
                while let step = next(for: content, error, on: path) {
                    let isMatch = step.rule.read { rule in
                        // A map has no other rules.
                        let rule = unsafe unsafeDowncast(rule, to: MapRule<Value>.self)
                        if step.match == .asked { return rule.giveIfMatching(error, &report, to: &value) }
                        rule.give(for: content, error, to: &value)
                        return true
                    }
                    if isMatch { return step.rule }
                }
                return nil
            }
            return _openExistential(error, do: find)
        }
    }

    // MARK: Without suspending

    /// Tries the rules that are left in order, up to the first asynchronous one.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - supervisor: May supersede the dispatch.
    /// - Returns: How the dispatch has ended.
    @inline(__always)
    mutating func run(_ error: any Error, under supervisor: (any ActionSupervisor)? = nil) -> End {
        path.read { path in
            // Opened once, since that costs as much as to look up the rules.
            func run<Content: Error>(_ content: Content) -> End {
                if Content.self == (any Error).self { return runUnboxed(ErrorBox.unboxed(error), under: supervisor) }
                while let step = next(for: content, error, on: path) {
                    if step.traits.isAsynchronous {
                        wait(at: step)
                        return .needsSuspension
                    }
                    if let supervisor, !supervisor.isCurrent { return .superseded }
                    do {
                        if progress.stage == .always, step.traits.needsReport { carryOutcome() }
                        let answer = try step.rule.read { rule in
                            step.match == .asked
                                ? try rule.actIfMatching(error, &report, under: supervisor)
                                : try rule.act(on: content, error, &report)
                        }
                        progress.record(answer, at: step)
                    } catch let thrown {
                        if thrown is DispatchSuperseded { return .superseded }
                        record(thrown, at: step, error)
                    }
                    if isOver(on: path) { return .completed }
                }
                return .completed
            }
            return _openExistential(error, do: run)
        }
    }

    @inline(never)
    private mutating func runUnboxed(_ error: any Error, under supervisor: (any ActionSupervisor)?) -> End {
        run(error, under: supervisor)
    }

    /// Notes where whoever goes on begins, and what matchers have found out about the error.
    @inline(never)
    private mutating func wait(at step: RuleStep) {
        waiting = step
        progress.goOn(after: step.order - 1)
        if let subject = report.subject { progress.keep(subject) }
    }

    /// Lets the report carry the outcome so far, as in `always`.
    @inline(never)
    private mutating func carryOutcome() { report.carry(progress.outcome) }

    /// Records what the action of a rule has thrown.
    @inline(never)
    private mutating func record(_ thrown: any Error, at step: RuleStep, _ error: any Error) {
        // The report of an `always` action's failure has the outcome so far, as that of the action itself.
        if progress.stage == .always { carryOutcome() }
        progress.record(thrown, of: step.rule.object, report.made(for: error))
    }

    // MARK: Suspending

    /// Tries the rules that are left in order, asynchronous ones too.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - supervisor: Limits the time of asynchronous actions, and may supersede the dispatch.
    mutating func finish(_ error: any Error, under supervisor: (any ActionSupervisor)?) async -> End {
        let error = ErrorBox.unboxed(error)
        report.know(progress.findings)
        while true {
            let end = runUnboxed(error, under: supervisor)
            guard end == .needsSuspension, let step = waiting.take() else { return end }
            if let supervisor, supervisor.isTaskCancelled { return .needsNewTask }
            if progress.stage == .always { carryOutcome() }
            progress.goOn(after: step.order)
            do {
                let (rule, isCertain) = (step.rule.object, step.match == .certain)
                let answer =
                    if let supervisor {
                        try await actSuspending(rule, error, isCertain: isCertain, under: supervisor)
                    } else if isCertain, !step.traits.needsReport {
                        try await rule.actSuspending(on: error)
                    } else {
                        try await rule.actSuspending(error, &report, isCertain: isCertain, watch: nil)
                    }
                if let supervisor, !supervisor.actionDidEnd() { return .superseded }
                progress.record(answer, at: step)
            } catch is DispatchSuperseded {
                return .superseded
            } catch let thrown {
                // An action that ends too late has failed by its time limit already: what it throws is discarded.
                if let supervisor, !supervisor.actionDidEnd() { return .superseded }
                record(thrown, at: step, error)
            }
            if path.read({ isOver(on: $0) }) { return .completed }
        }
    }

    /// Lets an asynchronous rule act under a supervisor.
    private mutating func actSuspending(
        _ rule: Rule, _ error: any Error, isCertain: Bool, under supervisor: any ActionSupervisor
    ) async throws -> DispatchProgress.Answer {
        let made = report.made(for: error)
        let action = SupervisedAction(rule: rule, progress: progress, report: made)
        let watch = ActionWatch(supervisor: supervisor, action: action)
        return try await supervisor.supervising(made) {
            try await rule.actSuspending(error, &report, isCertain: isCertain, watch: watch)
        }
    }
}
