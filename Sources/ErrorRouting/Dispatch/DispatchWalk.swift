/// One error's dispatch through one program, or through those of a path.
///
/// There is one way through the rules, `tryRules`: the stages of the handlers in order, and the steps of each. It ends
/// at an asynchronous rule; a walk lets that act, and goes on from its progress.
///
/// Retains nothing that concurrent dispatches share: the rule set, or the scopes of the path, hold programs, plans and
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

    /// What a dispatch that does not suspend does where a rule is asynchronous.
    enum AsynchronousRules {
        /// It ends there.
        case wait
        /// It ends before any rule acts, if by the error's type one could be reached.
        case decline
        /// No rule acts: it ends where one matches, reached or not, and at an `onNoMatch` that would apply.
        case find
        /// It goes on, because none matches.
        case skip
    }

    /// The only program, unless there is a path.
    private let program: Unmanaged<DispatchProgram>
    /// The handlers of the path; nil if there is only one program.
    private let path: HandlerPath.Steps?
    private let error: any Error
    private(set) var progress: DispatchProgress

    /// Goes on from a progress.
    ///
    /// - Parameters:
    ///   - program: The only program, unless there is a path.
    ///   - path: The handlers of the path, if there is one.
    ///   - error: The error.
    ///   - progress: How far the dispatch has come.
    init(
        _ program: Unmanaged<DispatchProgram>, on path: HandlerPath.Steps?, _ error: any Error,
        from progress: DispatchProgress
    ) {
        unsafe self.program = unsafe program
        self.path = path
        self.error = ErrorBox.unboxed(error)
        self.progress = progress
    }

    // MARK: Without suspending

    /// Begins a dispatch for a bus, and tries the rules in order up to the first asynchronous one.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - program: The only program, unless there is a path.
    ///   - path: The handlers of the path, if there is one.
    ///   - report: The error's report.
    ///   - supervisor: May supersede the dispatch.
    ///   - progress: The progress before the first rule; set to how far the dispatch has come.
    /// - Returns: How the dispatch has ended.
    static func run(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, on path: HandlerPath.Steps?,
        _ report: inout LazyReport, under supervisor: any ActionSupervisor, into progress: inout DispatchProgress
    ) -> End {
        if let path {
            _ = unsafe path.program(0, .rules)._withUnsafeGuaranteedRef { unsafe $0.indexForUse }
        } else {
            let first = unsafe withUnsafeMutablePointer(to: &report) { report in
                unsafe FirstRule(of: program, for: error, report, under: supervisor)
            }
            let isOver = unsafe first.isOver(in: program)
            first.record(for: error, &report, into: &progress)
            if isOver { return .completed }
        }
        var rest: RuleStepCursor?
        return unsafe tryRules(error, program, path, &report, supervisor, &progress, .wait, from: &rest).kind
    }

    /// Goes on with the rules of one program, without a supervisor.
    static func goOn(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, _ report: inout LazyReport,
        from progress: inout DispatchProgress, _ asynchronousRules: AsynchronousRules
    ) -> End {
        var rest: RuleStepCursor?
        return unsafe tryRules(error, program, nil, &report, nil, &progress, asynchronousRules, from: &rest).kind
    }

    /// How trying rules has ended, and the asynchronous step that waits, if that is how.
    private struct Pause {
        let kind: End
        var waiting: RuleStep?
    }

    /// Tries the rules that are left in order, up to the first asynchronous one.
    ///
    /// - Parameter rest: The steps of this stage that are left after a pause, and set to these at the next; nil if they
    ///   have to be looked up.
    @inline(never)
    private static func tryRules(
        _ error: any Error, _ program: Unmanaged<DispatchProgram>, _ path: HandlerPath.Steps?,
        _ report: inout LazyReport, _ supervisor: (any ActionSupervisor)?, _ progress: inout DispatchProgress,
        _ asynchronousRules: AsynchronousRules, from rest: inout RuleStepCursor?
    ) -> Pause {
        unsafe withUnsafeMutablePointer(to: &report) { report in
            // Opened once, since that costs as much as to look up the rules.
            func tryRules<Content: Error>(_ content: Content) -> Pause {
                if Content.self == (any Error).self {
                    let error = ErrorBox.unboxed(error)
                    return unsafe self.tryRules(
                        error, program, path, &report.pointee, supervisor, &progress, asynchronousRules, from: &rest)
                }
                return unsafe self.tryRules(
                    content, error, program, path, report, supervisor, &progress, asynchronousRules, &rest)
            }
            return _openExistential(error, do: tryRules)
        }
    }

    @inline(__always)
    private static func tryRules<Content: Error>(
        _ content: Content, _ error: any Error, _ program: Unmanaged<DispatchProgram>, _ path: HandlerPath.Steps?,
        _ report: UnsafeMutablePointer<LazyReport>, _ supervisor: (any ActionSupervisor)?,
        _ progress: inout DispatchProgress, _ asynchronousRules: AsynchronousRules,
        _ rest: inout RuleStepCursor?
    ) -> Pause {
        while true {
            let program = unsafe path?.program(progress.handler, progress.stage) ?? program
            if !progress.isStageOver {
                guard
                    var steps = unsafe rest == nil
                        ? steps(for: content, error, program, report, progress.stage, asynchronousRules) : rest.take()
                else { return Pause(kind: .needsSuspension) }
                if asynchronousRules == .find {
                    let needsSuspension = unsafe isAsynchronous(steps, error, program, report, &progress)
                    if needsSuspension { return Pause(kind: .needsSuspension) }
                    progress.endStage()
                }
                while !progress.isStageOver,
                    let step = unsafe next(&steps, after: progress.lastOrder, error, report)
                {
                    if step.traits.isAsynchronous {
                        if asynchronousRules == .skip { continue }
                        progress.goOn(after: step.order - 1)
                        if let subject = unsafe report.pointee.subject { progress.keep(subject) }
                        rest = steps
                        return Pause(kind: .needsSuspension, waiting: step)
                    }
                    if let supervisor, !supervisor.isCurrent { return Pause(kind: .superseded) }
                    do {
                        let isReported = progress.stage == .always && step.traits.needsReport
                        if isReported { unsafe report.pointee.carry(progress.outcome) }
                        let answer = try unsafe step.rule._withUnsafeGuaranteedRef { rule in
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
            let stages = unsafe path?.stages ?? program._withUnsafeGuaranteedRef { $0.stages }
            guard progress.advance(handlers: path?.count ?? 1, among: stages) else { return Pause(kind: .completed) }
            if progress.stage == .rules {
                _ = unsafe path?.program(progress.handler, .rules)._withUnsafeGuaranteedRef { unsafe $0.indexForUse }
            }
        }
    }

    /// Returns whether an error matches any asynchronous step, reached or not.
    ///
    /// Asks no rule whose match makes no difference: that of a synchronous one does, and is recorded, where it decides
    /// about an asynchronous `onNoMatch`.
    @inline(never)
    private static func isAsynchronous(
        _ steps: RuleStepCursor, _ error: any Error, _ program: Unmanaged<DispatchProgram>,
        _ report: UnsafeMutablePointer<LazyReport>, _ progress: inout DispatchProgress
    ) -> Bool {
        let hasAsynchronousFallback = unsafe program._withUnsafeGuaranteedRef { $0.hasAsynchronousFallback }
        var steps = steps
        while let step = unsafe steps.first?.pointee {
            steps.removeFirst()
            guard step.traits.isAsynchronous || hasAsynchronousFallback && !progress.hasMatch else { continue }
            if step.match != .certain {
                let isMatch = unsafe report.pointee.ask(error) { subject in
                    unsafe step.rule._withUnsafeGuaranteedRef { $0.matches(&subject) }
                }
                if !isMatch { continue }
            }
            if step.traits.isAsynchronous { return true }
            progress.record(.next, at: step)
        }
        return false
    }

    /// Returns the steps of a stage for an error; nil if they are declined.
    @inline(__always)
    private static func steps<Content: Error>(
        for content: Content, _ error: any Error, _ program: Unmanaged<DispatchProgram>,
        _ report: UnsafeMutablePointer<LazyReport>, _ stage: RuleSet.Stage, _ asynchronousRules: AsynchronousRules
    ) -> RuleStepCursor? {
        unsafe program._withUnsafeGuaranteedRef { program in
            switch stage {
            case .onNoMatch: return RuleStepCursor(program.onNoMatch)
            case .always: return RuleStepCursor(program.always)
            case .rules: break
            }
            guard let plan = unsafe program.index?._withUnsafeGuaranteedRef({ unsafe $0.plan(for: content, error) })
            else {
                return program.isAsynchronous && asynchronousRules == .decline ? nil : RuleStepCursor(program.rules)
            }
            return unsafe plan._withUnsafeGuaranteedRef { plan in
                unsafe plan.mayBeAsynchronous && asynchronousRules == .decline
                    ? nil : plan.steps(for: content, error, report)
            }
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
                guard step.match == .certain || step.match == .asked else {
                    return unsafe firstToTry(&steps, error, report)
                }
                steps.removeFirst()
                return step
            }
            steps.removeFirst()
        }
        return nil
    }

    /// Takes the next step whose predicate holds, if it has one, and which errors of the type may match.
    @inline(never)
    private static func firstToTry(
        _ steps: inout RuleStepCursor, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>
    ) -> RuleStep? {
        while let first = unsafe steps.first {
            if unsafe first.pointee.match == .byPredicate { steps.dropNotHolding(for: error) }
            guard let step = unsafe steps.first?.pointee else { return nil }
            steps.removeFirst()
            if step.match != .notJudged { return step }
            if let judged = unsafe report.pointee.ask(error, { step.judged(for: $0, domain: nil) }) { return judged }
        }
        return nil
    }

    /// Records what the action of a rule has thrown.
    @inline(never)
    private static func record(
        _ thrown: any Error, at step: RuleStep, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>,
        _ progress: inout DispatchProgress
    ) {
        // The report of an `always` action's failure has the outcome so far, as that of the action itself.
        if progress.stage == .always { unsafe report.pointee.carry(progress.outcome) }
        unsafe progress.record(thrown, of: step.rule.takeUnretainedValue(), report.pointee.made(for: error))
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
            let pause = unsafe Self.tryRules(error, program, path, &report, supervisor, &progress, .wait, from: &rest)
            guard let step = pause.waiting else {
                return pause.kind
            }
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
            let stages = unsafe path?.stages ?? program._withUnsafeGuaranteedRef { $0.stages }
            if progress.stage == .rules, !stages.contains(.always) { return .completed }
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
        let (rule, isCertain) = unsafe (step.rule.takeUnretainedValue(), step.match == .certain)
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
