/// One error's dispatch through the blocks of a path.
///
/// There is one way through the rules, `tryRules`: the stages in order, the blocks of each, and the steps of each block.
/// It ends at an asynchronous rule; a walk lets that act, and goes on from its progress.
///
/// Retains nothing that concurrent dispatches share: the rule set, or the scopes of the path, hold blocks, plans and
/// rules until the dispatch is over.
@safe struct DispatchWalk: ~Copyable {
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
    private let error: any Error
    private(set) var progress: DispatchProgress

    /// Goes on from a progress.
    init(_ path: Borrowed<BlockPath>, _ error: any Error, from progress: DispatchProgress) {
        self.path = path
        self.error = ErrorBox.unboxed(error)
        self.progress = progress
    }

    // MARK: Without suspending

    /// Begins a dispatch for a bus, and tries the rules in order up to the first asynchronous one.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - path: The blocks.
    ///   - report: The error's report.
    ///   - supervisor: May supersede the dispatch.
    ///   - progress: The progress before the first rule; set to how far the dispatch has come.
    /// - Returns: How the dispatch has ended.
    static func run(
        _ error: any Error, through path: Borrowed<BlockPath>, _ report: inout LazyReport,
        under supervisor: any ActionSupervisor, into progress: inout DispatchProgress
    ) -> End {
        let first = unsafe withUnsafeMutablePointer(to: &report) { report in
            unsafe FirstRule(on: path, for: error, report, under: supervisor)
        }
        let isOver = first.isOver(on: path)
        first.record(for: error, &report, into: &progress)
        if isOver { return .completed }
        var rest: RuleStepCursor?
        return tryRules(error, path, &report, supervisor, &progress, from: &rest).kind
    }

    /// Goes on with the rules, without a supervisor.
    static func goOn(
        _ error: any Error, through path: Borrowed<BlockPath>, _ report: inout LazyReport,
        from progress: inout DispatchProgress
    ) -> End {
        var rest: RuleStepCursor?
        return tryRules(error, path, &report, nil, &progress, from: &rest).kind
    }

    /// How trying rules has ended, and the asynchronous step that waits, if that is how.
    private struct Pause {
        let kind: End
        var waiting: RuleStep?
    }

    /// Tries the rules that are left in order, up to the first asynchronous one.
    ///
    /// - Parameter rest: The steps of this block that are left after a pause, and set to these at the next; nil if they
    ///   have to be looked up.
    @inline(never)
    private static func tryRules(
        _ error: any Error, _ path: Borrowed<BlockPath>, _ report: inout LazyReport,
        _ supervisor: (any ActionSupervisor)?, _ progress: inout DispatchProgress, from rest: inout RuleStepCursor?
    ) -> Pause {
        unsafe withUnsafeMutablePointer(to: &report) { report in
            // Opened once, since that costs as much as to look up the rules.
            func tryRules<Content: Error>(_ content: Content) -> Pause {
                if Content.self == (any Error).self {
                    let error = ErrorBox.unboxed(error)
                    return unsafe self.tryRules(error, path, &report.pointee, supervisor, &progress, from: &rest)
                }
                return path.read { path in
                    unsafe self.tryRules(content, error, path, report, supervisor, &progress, &rest)
                }
            }
            return _openExistential(error, do: tryRules)
        }
    }

    @inline(__always)
    private static func tryRules<Content: Error>(
        _ content: Content, _ error: any Error, _ path: BlockPath, _ report: UnsafeMutablePointer<LazyReport>,
        _ supervisor: (any ActionSupervisor)?, _ progress: inout DispatchProgress, _ rest: inout RuleStepCursor?
    ) -> Pause {
        if path.count == 0 { return Pause(kind: .completed) }
        while true {
            let block = path.block(progress.block, progress.stage)
            if !progress.isStageOver,
                var steps = rest.take()
                    ?? block.read({ unsafe $0.steps(for: content, error, progress.stage, report) })
            {
                while !progress.isStageOver,
                    let step = unsafe next(&steps, after: progress.lastOrder, error, report)
                {
                    if step.traits.isAsynchronous {
                        if unsafe !mayMatch(step, error, report) { continue }
                        progress.goOn(after: step.order - 1)
                        if let subject = unsafe report.pointee.subject { progress.keep(subject) }
                        rest = steps
                        return Pause(kind: .needsSuspension, waiting: step)
                    }
                    if let supervisor, !supervisor.isCurrent { return Pause(kind: .superseded) }
                    do {
                        let isReported = progress.stage == .always && step.traits.needsReport
                        if isReported { unsafe report.pointee.carry(progress.outcome) }
                        let answer = try step.rule.read { rule in
                            step.match == .asked
                                ? unsafe try rule.actIfMatching(error, report, under: supervisor)
                                : unsafe try rule.act(on: content, error, LazyReport.target(report))
                        }
                        progress.record(answer, at: step)
                    } catch is DispatchSuperseded {
                        return Pause(kind: .superseded)
                    } catch let thrown {
                        unsafe record(thrown, at: step, error, report, &progress)
                    }
                }
            }
            guard progress.advance(on: path) else { return Pause(kind: .completed) }
        }
    }

    /// Takes the next step that is to be tried.
    @inline(__always)
    private static func next(
        _ steps: inout RuleStepCursor, after lastOrder: Int, _ error: any Error,
        _ report: UnsafeMutablePointer<LazyReport>
    ) -> RuleStep? {
        while let step = unsafe steps.first?.pointee {
            if step.order > lastOrder {
                if step.match == .byPredicate {
                    steps.dropNotHolding(for: error)
                    guard let holding = unsafe steps.first?.pointee else { return nil }
                    steps.removeFirst()
                    return holding
                }
                steps.removeFirst()
                return step
            }
            steps.removeFirst()
        }
        return nil
    }

    /// Whether an error of this type may match an asynchronous rule; in a small block they are not compared before.
    @inline(never)
    private static func mayMatch(
        _ step: RuleStep, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>
    ) -> Bool {
        if step.match == .certain { return true }
        return unsafe report.pointee.ask(error) { step.shape.verdict(for: $0, domain: nil).mayMatch }
    }

    /// Records what the action of a rule has thrown.
    @inline(never)
    private static func record(
        _ thrown: any Error, at step: RuleStep, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>,
        _ progress: inout DispatchProgress
    ) {
        // The report of an `always` action's failure has the outcome so far, as that of the action itself.
        if progress.stage == .always { unsafe report.pointee.carry(progress.outcome) }
        unsafe progress.record(thrown, of: step.rule.object, report.pointee.made(for: error))
    }

    // MARK: Suspending

    /// Tries the remaining rules in order, asynchronous ones too.
    ///
    /// - Parameters:
    ///   - report: The error's report.
    ///   - supervisor: Limits the time of asynchronous actions, and may supersede the dispatch.
    mutating func finish(_ report: consuming LazyReport, under supervisor: (any ActionSupervisor)?) async -> End {
        if report.subject == nil { report.subject = progress.findings }
        // Kept over each pause: to look the rules up again would ask the error's `==` again, and skip those tried.
        var rest: RuleStepCursor?
        while true {
            let pause = Self.tryRules(error, path, &report, supervisor, &progress, from: &rest)
            guard let step = pause.waiting else { return pause.kind }
            if let supervisor, supervisor.isTaskCancelled { return .needsNewTask }
            do {
                let answer = try await actSuspending(step, &report, under: supervisor)
                if let supervisor, !supervisor.actionDidEnd() { return .superseded }
                progress.record(answer, at: step)
            } catch is DispatchSuperseded {
                return .superseded
            } catch let thrown {
                // An action that ends too late has failed by its time limit already: what it throws is discarded.
                if let supervisor, !supervisor.actionDidEnd() { return .superseded }
                unsafe withUnsafeMutablePointer(to: &report) { report in
                    unsafe Self.record(thrown, at: step, error, report, &progress)
                }
            }
            guard progress.isStageOver else { continue }
            rest = nil
            if progress.stage == .rules, !path.read({ $0.stages.contains(.always) }) { return .completed }
        }
    }

    /// Lets an asynchronous rule act, under the supervisor if there is one.
    ///
    /// Not inlined, so that what follows in ``finish(_:under:)`` is compiled once, and not for each call here.
    @inline(never)
    private mutating func actSuspending(
        _ step: RuleStep, _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?
    ) async throws -> DispatchProgress.Answer {
        if progress.stage == .always { report.carry(progress.outcome) }
        progress.goOn(after: step.order)
        let (rule, isCertain) = (step.rule.object, step.match == .certain)
        guard let supervisor else {
            return try await rule.actSuspending(error, &report, isCertain: isCertain, watch: nil)
        }
        let made = report.made(for: error)
        let action = SupervisedAction(rule: rule, progress: progress, report: made)
        let watch = ActionWatch(supervisor: supervisor, action: action)
        return try await supervisor.supervising(made) {
            try await rule.actSuspending(error, &report, isCertain: isCertain, watch: watch)
        }
    }
}
