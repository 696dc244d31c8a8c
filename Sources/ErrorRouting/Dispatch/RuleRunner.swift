/// One error's dispatch through the blocks of a path: stage by stage, block by block, and step by step.
///
/// The traversal stops at an asynchronous rule; ``finish(_:under:)`` runs that rule and continues.
///
/// A runner doesn't retain objects that concurrent dispatches share: the rule set or the path's scopes retain blocks,
/// plans, and rules until the dispatch has ended. It is noncopyable because it is large: the report and the matchers'
/// results are stored in place when they are first needed.
struct RuleRunner: ~Copyable {
    private let path: Borrowed<BlockPath>
    /// The search with the outcome so far.
    private(set) var search: RuleSearch
    private var reporter: DispatchReporter

    /// Creates a runner; if the error was posted as an attempt, only `always` actions run for it.
    @inline(__always)
    init(_ path: Borrowed<BlockPath>, _ reporter: consuming DispatchReporter, isAttempt: Bool = false) {
        (self.path, search) = (path, RuleSearch(isAttempt: isAttempt))
        self.reporter = reporter
    }

    /// The failures of actions so far; nil if there are none.
    @inline(__always)
    var failures: [ActionFailure]? { reporter.failures }

    /// The outcome so far, which is final after the last rule.
    @inline(__always)
    var outcome: HandleOutcome {
        let rule = search.decisive?.read { $0.threadsOwnDescription }
        return HandleOutcome(
            disposition: search.decision.disposition, matchedRuleCount: search.matchedRuleCount, rule: rule,
            failed: failures)
    }

    // MARK: Without suspending

    /// Tries the remaining rules in order; returns whether it stopped before an asynchronous rule.
    ///
    /// Returns false if no rule remains, or if the supervisor has removed the report.
    @inline(__always)
    mutating func run(_ error: any Error, under supervisor: (any ActionSupervisor)? = nil) -> Bool {
        path.read { path in
            // Open the error only once: opening it costs as much as looking up the rules.
            func run<Content: Error>(_ content: Content) -> Bool {
                Content.self == (any Error).self
                    ? runUnboxed(UnboxedError(error), under: supervisor)
                    : self.run(content, UnboxedError(opened: error), on: path, under: supervisor)
            }
            return _openExistential(error, do: run)
        }
    }

    /// Works like `run(_:under:)` for an opened error; unlike a variable, a parameter needn't be retained.
    @inline(__always)
    private mutating func run<Content: Error>(
        _ content: Content, _ error: UnboxedError, on path: BlockPath, under supervisor: (any ActionSupervisor)?
    ) -> Bool {
        while let step = search.next(for: content, error, on: path, &reporter) {
            if step.traits.isAsynchronous { return true }
            if let supervisor, supervisor.isReportRemoved { return false }
            do {
                if search.stage == .always, step.traits.needsReport { carryOutcome() }
                let isKnown = step.isKnown(of: Content.self)
                let answer = try step.rule.read { rule in
                    isKnown
                        ? try rule.callAction(on: content, error, &reporter)
                        : try rule.callMatcherAndAction(error, &reporter, under: supervisor)
                }
                search.record(answer, of: step.rule)
            } catch let thrown {
                record(thrown, of: step.rule, error, under: supervisor)
            }
        }
        return false
    }

    @inline(never)
    private mutating func runUnboxed(_ error: UnboxedError, under supervisor: (any ActionSupervisor)?) -> Bool {
        run(error.error, under: supervisor)
    }

    /// Sets the report's outcome to the outcome so far, which `always` actions receive.
    @inline(never)
    private mutating func carryOutcome() { reporter.setOutcome(outcome) }

    /// Records that a rule's action threw an error; the rule counts as matched and as `.next`.
    @inline(never)
    private mutating func record(
        _ thrown: any Error, of rule: Borrowed<Rule>, _ error: UnboxedError, under supervisor: (any ActionSupervisor)?
    ) {
        // Set the outcome: the report in an `always` action's failure shows the outcome so far, as the action's own
        // report does.
        if search.stage == .always { carryOutcome() }
        let failure = ActionFailure(
            error: thrown, report: reporter.report(of: error), rule: rule.object.description)
        supervisor?.actionDidFail(failure)
        record(failure, of: rule)
    }

    private mutating func record(_ failure: ActionFailure, of rule: Borrowed<Rule>) {
        reporter.add(failure)
        search.record(.next, of: rule)
    }

    // MARK: Suspending

    /// Runs the asynchronous rule before which the runner stopped, and tries the remaining rules in order.
    ///
    /// If there is a supervisor, it runs asynchronous actions within a time limit; otherwise, they run in this task.
    /// The method is inlined because each asynchronous call costs as much as looking up the rules.
    @inline(__always)
    mutating func finish(_ error: UnboxedError, under supervisor: (any ActionSupervisor)?) async {
        repeat {
            let step = search.step
            if search.stage == .always { carryOutcome() }
            if await !runAsynchronous(step, error, under: supervisor) { return }
            // Don't open the error again if its dispatch is complete.
            if search.isStageOver, !path.read({ search.advance(on: $0) }) { return }
        } while runUnboxed(error, under: supervisor)
    }

    /// Runs an asynchronous rule; returns false if the supervisor removed the report.
    @inline(__always)
    private mutating func runAsynchronous(
        _ step: RuleStep, _ error: UnboxedError, under supervisor: (any ActionSupervisor)?
    ) async -> Bool {
        // Check before the rule's matcher, because the matcher might be slow; the supervisor checks again before the
        // action.
        if let supervisor, supervisor.isReportRemoved { return false }
        let (rule, isCertain) = (step.rule.object, step.test == .certain)
        guard let supervisor else {
            do {
                if isCertain, !step.traits.needsReport {
                    search.record(try await rule.callAsyncAction(on: error), of: step.rule)
                } else if let run = rule.prepareAction(on: error, &reporter, isCertain: isCertain) {
                    search.record(try await run(), of: step.rule)
                }
            } catch let thrown {
                record(thrown, of: step.rule, error, under: nil)
            }
            return true
        }
        guard let run = rule.prepareAction(on: error, &reporter, isCertain: isCertain) else { return true }
        let action = PreparedAction(rule: rule, report: reporter.report(of: error), run: run)
        switch await supervisor.perform(action) {
        case .returned(let answer): search.record(answer, of: step.rule)
        case .failed(let failure): record(failure, of: step.rule)
        case .reportRemoved: return false
        }
        return true
    }
}

/// A dispatch that an asynchronous rule has interrupted; it is an object because a dispatch can't be copied.
///
/// `@unchecked` because only one task uses it: the task that continues the dispatch.
final class SuspendedDispatch: @unchecked Sendable {
    let error: UnboxedError
    var runner: RuleRunner

    init(_ error: UnboxedError, _ runner: consuming RuleRunner) {
        self.error = error
        self.runner = runner
    }
}
