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
    init(
        _ program: Unmanaged<DispatchProgram>, on path: HandlerPath.Steps?, _ error: any Error,
        from progress: consuming DispatchProgress
    ) {
        let (stage, isOver) = (progress.stage ?? .always, progress.isStageOver)
        unsafe self.program = unsafe path?.programInUse(progress.handler, stage) ?? program
        self.path = path
        self.error = ErrorBox.unboxed(error)
        subject = progress.findings
        cursor = RuleStepCursor(.none)
        self.progress = progress
        if !isOver { enter(stage) }
    }

    // MARK: Which rule is next

    /// Returns the next step to try, and advances; nil at the end.
    private mutating func next() -> RuleStep? {
        while progress.stage != nil {
            if !progress.isStageOver, let step = cursor.next() {
                // A walk that goes on from another one's progress skips the rules that were tried.
                guard step.order > progress.lastOrder else { continue }
                return step
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
        let (error, program) = unsafe (error, program)
        func look<Content: Error>(_ content: Content) -> (RuleStepCursor, domain: Unmanaged<DomainSteps>?) {
            guard let plan = unsafe program._withUnsafeGuaranteedRef({ unsafe $0.plan(for: content, error) }) else {
                preconditionFailure("there is no box in the box")
            }
            return unsafe (RuleStepCursor(plan, for: content), plan._withUnsafeGuaranteedRef { unsafe $0.domain })
        }
        let (cursor, domain) = unsafe _openExistential(error, do: look)
        self.cursor = cursor
        if let domain = unsafe domain {
            var subject = subject ?? ErrorSubject(error)
            unsafe self.cursor.add(domain, for: &subject)
            self.subject = subject
        }
    }

    // MARK: Without suspending

    /// Dispatches an error without suspending; makes no walk if the first rule is the only one to try.
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
        _ error: any Error,
        through program: Unmanaged<DispatchProgram>,
        on path: HandlerPath.Steps?,
        _ report: inout LazyReport,
        under supervisor: any ActionSupervisor,
        into progress: inout DispatchProgress
    ) -> SynchronousEnd {
        let program = unsafe path?.program(0) ?? program
        var start = unsafe program._withUnsafeGuaranteedRef {
            $0.begin(error, mayStopAtAsynchronous: true, under: supervisor)
        }
        // While a handler of the path has no rule for the error, the dispatch begins with the next handler.
        while start.kind == .noMatch, let path, progress.handler + 1 < path.count(in: .rules) {
            _ = progress.advance(handlers: path.count(in: .rules))
            start = unsafe path.program(progress.handler)._withUnsafeGuaranteedRef {
                $0.begin(error, mayStopAtAsynchronous: true, under: supervisor)
            }
        }
        if start.kind == .superseded { return .superseded }
        if let step = start.step { progress.record(start, at: step, error, &report) }
        let hasMatch = progress.disposition != .unmatched
        let hasFallbacks =
            unsafe path?.hasFallbacks(after: hasMatch)
            ?? program._withUnsafeGuaranteedRef { $0.hasFallbacks(after: hasMatch) }
        let isLastHandler = progress.handler + 1 >= path?.count(in: .rules) ?? 1
        if !hasFallbacks, progress.isStageOver || isLastHandler && start.isLast { return .completed }
        if isLastHandler, start.isLast { _ = progress.advance(handlers: path?.count(in: .rules) ?? 1) }
        var walk = unsafe DispatchWalk(program, on: path, error, from: progress)
        let end = walk.finish(&report, under: supervisor)
        if let waiting = walk.waiting {
            walk.progress.willNotTry(waiting)
            if let subject = walk.subject { walk.progress.keep(subject) }
        }
        progress = walk.progress
        return end
    }

    /// Dispatches an error through one program without suspending and without a supervisor, unless an asynchronous rule
    /// could be reached.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - program: The program.
    ///   - origin: What the error's report is made from.
    /// - Returns: The outcome; nil, and no action has run, if an asynchronous rule could be reached.
    @inline(__always)
    static func runIfSynchronous<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, _ origin: @autoclosure () -> Origin
    ) -> HandleOutcome? {
        let start = unsafe program._withUnsafeGuaranteedRef {
            $0.begin(error, mayStopAtAsynchronous: false, under: nil)
        }
        if start.kind == .declined { return nil }
        if unsafe program._withUnsafeGuaranteedRef({ start.isOver(in: $0) }) { return start.outcome }
        return unsafe goOn(error, through: program, start, origin())
    }

    @inline(never)
    private static func goOn<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, _ start: DispatchStart, _ origin: Origin
    ) -> HandleOutcome {
        var progress = DispatchProgress()
        return unsafe withUnsafePointer(to: origin) { origin in
            var report = unsafe LazyReport(keptAt: origin, by: Origin.self)
            if let step = start.step { progress.record(start, at: step, error, &report) }
            if start.isOver { _ = progress.advance(handlers: 1) }
            var walk = unsafe DispatchWalk(program, on: nil, error, from: progress)
            _ = walk.finish(&report, under: nil)
            return walk.progress.outcome
        }
    }

    /// Tries the remaining rules in order, up to the first asynchronous one.
    ///
    /// - Parameters:
    ///   - report: The error's report.
    ///   - supervisor: May supersede the dispatch.
    ///   - skipsAsynchronous: Whether asynchronous rules are skipped, since they are known not to match.
    mutating func finish(
        _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?, skipsAsynchronous: Bool = false
    ) -> SynchronousEnd {
        while let step = next() {
            if let supervisor, !supervisor.isCurrent { return .superseded }
            if step.isAsynchronous {
                if skipsAsynchronous { continue }
                waiting = step
                return .needsSuspension
            }
            if unsafe step.rule._withUnsafeGuaranteedRef({ $0.needsReport }) { carryOutcome(in: &report) }
            do {
                let answer = try act(step, &report, under: supervisor)
                progress.record(answer, at: step)
            } catch is DispatchSuperseded {
                return .superseded
            } catch {
                carryOutcome(in: &report)
                progress.record(error, at: step, report.made(for: self.error))
            }
        }
        return .completed
    }

    private mutating func act(
        _ step: RuleStep, _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        let error = error
        if step.isCertain {
            return try unsafe withUnsafeMutablePointer(to: &report) { report in
                func act<Content: Error>(_ content: Content) throws -> DispatchProgress.Answer {
                    try unsafe step.rule._withUnsafeGuaranteedRef { unsafe try $0.act(on: content, error, report) }
                }
                return try _openExistential(error, do: act)
            }
        }
        var subject = subject.take() ?? ErrorSubject(error)
        defer { self.subject = subject }
        return try unsafe step.rule._withUnsafeGuaranteedRef { rule in
            try rule.actIfMatching(&subject, &report, under: supervisor)
        }
    }

    /// Gives the report for an `always` action, or for its failure, the outcome so far.
    private func carryOutcome(in report: inout LazyReport) {
        if progress.stage == .always { report.outcome = progress.outcome }
    }

    // MARK: Suspending

    /// Dispatches an error through one program, without a supervisor.
    static func run<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, _ origin: Origin
    ) async -> HandleOutcome {
        let error = ErrorBox.unboxed(error)
        var start = unsafe program._withUnsafeGuaranteedRef { $0.begin(error, mayStopAtAsynchronous: true, under: nil) }
        if start.kind == .suspends { start = await start.acted(on: error) }
        if unsafe program._withUnsafeGuaranteedRef({ start.isOver(in: $0) }) { return start.outcome }
        return await unsafe goOnSuspending(error, through: program, start, origin)
    }

    private static func goOnSuspending<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, _ start: DispatchStart, _ origin: Origin
    ) async -> HandleOutcome {
        var progress = DispatchProgress()
        let kept = UnsafeMutablePointer<Origin>.allocate(capacity: 1)
        unsafe kept.initialize(to: origin)
        var report = unsafe LazyReport(keptAt: kept, by: Origin.self)
        if let step = start.step { progress.record(start, at: step, error, &report) }
        if start.isOver { _ = progress.advance(handlers: 1) }
        var walk = unsafe DispatchWalk(program, on: nil, error, from: progress)
        _ = await walk.finish(report, under: nil)
        unsafe kept.deinitialize(count: 1)
        unsafe kept.deallocate()
        return walk.progress.outcome
    }

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
            carryOutcome(in: &report)
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
                progress.record(error, at: step, report.made(for: self.error))
            }
            if let supervisor, !supervisor.isCurrent {
                return .superseded(known: isTold ? progress.failures.count : 0)
            }
        }
    }

    private mutating func actSuspending(
        _ step: RuleStep, _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?
    ) async throws -> DispatchProgress.Answer {
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
        while let step = cursor.next() {
            guard step.isAsynchronous || onNoMatch && !hasMatch else { continue }
            let matches = unsafe step.isCertain || step.rule._withUnsafeGuaranteedRef { $0.matches(&subject) }
            if matches && step.isAsynchronous { return true }
            hasMatch = hasMatch || matches
        }
        self.subject = subject
        return onNoMatch && !hasMatch
    }
}
