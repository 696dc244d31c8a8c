/// One error's dispatch through one program, or through those of a path: which rule is next, and the progress so far.
///
/// Retains nothing that concurrent dispatches share: the rule set, or the scopes of the path, hold programs, plans and
/// rules until the dispatch is over.
@safe struct DispatchWalk: ~Copyable {
    /// How a dispatch that does not suspend has ended.
    enum SynchronousEnd {
        case completed
        /// The next rule is asynchronous: whoever goes on begins with it.
        case needsSuspension
        /// The supervisor has superseded the dispatch, whose outcome is discarded.
        case superseded
    }

    /// How a dispatch that may suspend has ended.
    enum End {
        case completed
        /// The supervisor has superseded the dispatch, whose outcome is discarded; the worker that goes on with the
        /// report already knows the first `known` failures.
        case superseded(known: Int)
        /// The task was cancelled: unless the dispatch was superseded, the next asynchronous action has to begin in
        /// another task.
        case needsNewTask
    }

    /// The program of the current handler.
    private var program: Unmanaged<DispatchProgram>
    /// The handlers of the path; nil if there is only one program.
    private let path: HandlerPath.Steps?
    private let error: any Error
    /// The error as matchers see it; nil until one is asked.
    private var subject: ErrorSubject?
    private var cursor: RuleStepCursor
    /// The asynchronous step at which a synchronous dispatch has ended, if any.
    private var waiting: RuleStep?
    private(set) var progress: DispatchProgress

    /// Begins a dispatch, or goes on from another walk's progress.
    ///
    /// - Parameters:
    ///   - program: The only program, unless there is a path.
    ///   - path: The handlers of the path, if there is one.
    ///   - error: The error.
    ///   - progress: How far the dispatch has come.
    ///   - rest: The steps of the handler and stage that were not tried, if they are known.
    init(
        _ program: Unmanaged<DispatchProgram>, on path: HandlerPath.Steps?, _ error: any Error,
        from progress: consuming DispatchProgress, rest: RuleStepList? = nil
    ) {
        let (stage, isOver) = (progress.stage ?? .always, progress.isStageOver)
        unsafe self.program = unsafe path?.programInUse(progress.handler, stage) ?? program
        self.path = path
        self.error = ErrorBox.unboxed(error)
        subject = progress.findings
        cursor = RuleStepCursor(rest ?? .none)
        self.progress = progress
        if !isOver, rest == nil { enter(stage) }
    }

    /// Ends the walk; whoever goes on from its progress begins with the asynchronous step that waits, if any.
    mutating func ended() -> DispatchProgress {
        if let waiting {
            progress.willNotTry(waiting)
            if let subject { progress.keep(subject) }
        }
        // Moved out, not copied.
        var result = DispatchProgress()
        swap(&result, &progress)
        return result
    }

    // MARK: Which rule is next

    /// Returns the next step, and advances; nil at the end.
    private mutating func next() -> RuleStep? {
        while progress.stage != nil {
            if !progress.isStageOver, let place = unsafe cursor.next() {
                // A walk that goes on from another one's progress skips the rules that were tried.
                guard unsafe place.pointee.order > progress.lastOrder else { continue }
                return unsafe place.pointee
            }
            let handlers = progress.stage.flatMap { path?.count(in: $0) } ?? 1
            guard let stage = progress.advance(handlers: handlers) else { return nil }
            if let path {
                guard path.count(in: stage) > 0 else { cursor = RuleStepCursor(.none); continue }
                unsafe program = path.programInUse(progress.handler, stage)
            }
            enter(stage)
        }
        return nil
    }

    /// Sets the cursor to the first of the program's steps in a stage.
    private mutating func enter(_ stage: RuleSet.Stage) {
        switch stage {
        case .rules: enterRules()
        case .onNoMatch: cursor = unsafe program._withUnsafeGuaranteedRef { RuleStepCursor($0.onNoMatch.list) }
        case .always: cursor = unsafe program._withUnsafeGuaranteedRef { RuleStepCursor($0.always.list) }
        }
    }

    private mutating func enterRules() {
        guard let index = unsafe program._withUnsafeGuaranteedRef({ unsafe $0.index }) else {
            return cursor = unsafe program._withUnsafeGuaranteedRef { RuleStepCursor($0.rules.list) }
        }
        let (cursor, domain) = unsafe index._withUnsafeGuaranteedRef { unsafe $0.steps(for: error) }
        self.cursor = cursor
        if let domain = unsafe domain {
            if subject == nil { subject = ErrorSubject(error) }
            unsafe self.cursor.add(domain, for: &subject!)
        }
    }

    /// Returns the next step to try; leaves out those whose predicate does not hold, and those that no error of the
    /// type matches.
    private mutating func nextToTry() -> RuleStep? {
        guard let step = next() else { return nil }
        return step.isJudged && !step.asksPredicate ? step : firstToTry(from: step)
    }

    @inline(never)
    private mutating func firstToTry(from first: RuleStep) -> RuleStep? {
        // Entered once for all predicates in a row: to enter costs as much as to ask one.
        var entry: PerThread.Entry?
        defer { if let entry { PerThread.leaveMatcher(entry) } }
        var example: TypeExample?
        var next: RuleStep? = first
        while let step = next {
            if step.asksPredicate {
                entry = entry ?? PerThread.enterMatcher()
                if entry != nil, unsafe step.rule._withUnsafeGuaranteedRef({ $0.predicate(error) }) {
                    return step.judged(isCertain: true)
                }
            } else if step.isJudged {
                return step
            } else {
                if example == nil { example = TypeExample(error, needsDomain: false) }
                switch step.verdict(for: example!) {
                case .never: break
                case .maybe: return step
                case .always(let isCertain): return step.judged(isCertain: isCertain)
                }
            }
            next = self.next()
        }
        return nil
    }

    // MARK: Without suspending

    /// Tries the remaining rules in order, up to the first asynchronous one.
    ///
    /// - Parameters:
    ///   - report: The error's report.
    ///   - supervisor: May supersede the dispatch.
    ///   - skipsAsynchronous: Whether asynchronous rules are skipped, since they are known not to match.
    mutating func finish(
        _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?, skipsAsynchronous: Bool = false
    ) -> SynchronousEnd {
        while let step = nextToTry() {
            if let supervisor, !supervisor.isCurrent { return .superseded }
            if step.isAsynchronous {
                if skipsAsynchronous { continue }
                waiting = step
                return .needsSuspension
            }
            do {
                let answer = try unsafe withUnsafeMutablePointer(to: &report) { report in
                    unsafe try act(step, report, under: supervisor)
                }
                progress.record(answer, at: step)
            } catch is DispatchSuperseded {
                return .superseded
            } catch {
                record(error, at: step, &report)
            }
        }
        return .completed
    }

    @inline(__always)
    private mutating func act(
        _ step: RuleStep, _ report: UnsafeMutablePointer<LazyReport>, under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        if progress.stage == .always, step.needsReport { unsafe report.pointee.carry(progress.outcome) }
        if progress.stage != .rules || step.asksPredicate {
            return try unsafe step.rule._withUnsafeGuaranteedRef { unsafe try $0.act(onAny: error, report) }
        }
        if step.isCertain {
            let error = error
            func act<Content: Error>(_ content: Content) throws -> DispatchProgress.Answer {
                try unsafe step.rule._withUnsafeGuaranteedRef { unsafe try $0.act(on: content, error, report) }
            }
            return try _openExistential(error, do: act)
        }
        if subject == nil { subject = ErrorSubject(error) }
        return try unsafe step.rule._withUnsafeGuaranteedRef { rule in
            unsafe try rule.actIfMatching(&subject!, report, under: supervisor)
        }
    }

    /// Records what the action of a rule of this stage has thrown.
    @inline(never)
    private mutating func record(_ thrown: any Error, at step: RuleStep, _ report: inout LazyReport) {
        // The report of an `always` action's failure has the outcome so far, as that of the action itself.
        if progress.stage == .always { report.carry(progress.outcome) }
        progress.record(thrown, at: step, report.made(for: error))
    }

    /// Returns whether an asynchronous rule is for the error: one that matches (reached or not), an `onNoMatch` that
    /// would apply, or an `always`.
    ///
    /// Asks matchers, and runs no action.
    mutating func needsSuspension() -> Bool {
        let (onNoMatch, always) = unsafe program._withUnsafeGuaranteedRef {
            ($0.onNoMatch.hasAsynchronous, $0.always.hasAsynchronous)
        }
        if always { return true }
        var cursor = cursor
        var subject = subject ?? ErrorSubject(error)
        var hasMatch = false
        while let step = unsafe cursor.next()?.pointee {
            guard step.isAsynchronous || onNoMatch && !hasMatch else { continue }
            let matches = unsafe step.isCertain || step.rule._withUnsafeGuaranteedRef { $0.matches(&subject) }
            if matches && step.isAsynchronous { return true }
            hasMatch = hasMatch || matches
        }
        self.subject = subject
        return onNoMatch && !hasMatch
    }

    // MARK: Suspending

    /// Tries the remaining rules in order, asynchronous ones too.
    ///
    /// - Parameters:
    ///   - report: The error's report.
    ///   - supervisor: Limits the time of asynchronous actions, and may supersede the dispatch.
    mutating func finish(_ report: LazyReport, under supervisor: (any ActionSupervisor)?) async -> End {
        var report = report
        while true {
            switch finish(&report, under: supervisor) {
            case .completed: return .completed
            case .superseded: return .superseded(known: 0)
            case .needsSuspension: break
            }
            guard let step = waiting.take() else { return .completed }
            if let supervisor, supervisor.isTaskCancelled {
                progress.willNotTry(step)
                if let subject { progress.keep(subject) }
                return .needsNewTask
            }
            // An action that ends too late has failed by its time limit already, so what it throws is not told again.
            var isTold = false
            do {
                let answer = try await actSuspending(step, &report, under: supervisor)
                if let supervisor { isTold = !supervisor.actionDidEnd() }
                progress.record(answer, at: step)
            } catch is DispatchSuperseded {
                return .superseded(known: 0)
            } catch {
                if let supervisor { isTold = !supervisor.actionDidEnd() }
                record(error, at: step, &report)
            }
            if let supervisor, !supervisor.isCurrent {
                return .superseded(known: isTold ? progress.failures.count : 0)
            }
        }
    }

    private mutating func actSuspending(
        _ step: RuleStep, _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?
    ) async throws -> DispatchProgress.Answer {
        if progress.stage == .always { report.carry(progress.outcome) }
        var subject = subject.take() ?? ErrorSubject(error)
        defer { self.subject = subject }
        let rule = unsafe step.rule.takeUnretainedValue()
        guard let supervisor else {
            return try await rule.actSuspending(&subject, &report, isCertain: step.isCertain, watch: nil)
        }
        let made = report.made(for: error)
        progress.willTry(step)
        progress.keep(subject)
        let action = SupervisedAction(rule: rule, progress: progress, report: made)
        let watch = ActionWatch(supervisor: supervisor, action: action)
        return try await supervisor.supervising(made) {
            try await rule.actSuspending(&subject, &report, isCertain: step.isCertain, watch: watch)
        }
    }
}
