/// One error's way through a program, or through several in their order: which rule is next, and what is known so far.
///
/// It holds nothing that other dispatches hold: programs, plans and rules are kept by the rule set, or by the path, for
/// as long as it takes.
@safe struct DispatchWalk: ~Copyable {
    /// What a dispatch that does not suspend does about asynchronous rules.
    enum AsynchronousRules {
        /// It ends where one has its turn.
        case stop
        /// They are known not to match, and not asked again.
        case skip
    }

    /// How far a synchronous dispatch came.
    enum SynchronousEnd {
        case completed
        /// An asynchronous rule has its turn, or could have: whoever goes on begins with it.
        case needsSuspension
        /// The supervisor took it away, and its outcome counts for nothing.
        case superseded
    }

    /// How a dispatch that may suspend has ended.
    enum End {
        case completed
        /// The supervisor took it away, and its outcome counts for nothing; so many of its failures are known to
        /// whoever goes on in its place.
        case superseded(known: Int)
    }

    /// The program that has its turn.
    private var program: Unmanaged<DispatchProgram>
    /// The way on from there; nil where there is but one program.
    private let path: HandlerPath.Steps?
    private let error: any Error
    /// The error as matchers see it; nil as long as none was asked.
    private var subject: ErrorSubject?
    private var cursor: RuleStepCursor
    /// The asynchronous step that has its turn, where a synchronous dispatch has ended at one.
    private var waiting: RuleStep?
    private(set) var progress: DispatchProgress

    /// Begins, or goes on where another walk has come.
    ///
    /// - Parameters:
    ///   - program: The only program, unless there is a path.
    ///   - path: The path.
    ///   - error: The error.
    ///   - progress: How far it has come.
    init(
        _ program: Unmanaged<DispatchProgram>?, on path: HandlerPath.Steps?, _ error: any Error,
        from progress: consuming DispatchProgress
    ) {
        let (findings, isOver) = (progress.findings, progress.isStageOver)
        let stage = progress.stage ?? .always
        let start = unsafe path?.programInUse(progress.handler, stage) ?? program ?? .passUnretained(.empty)
        unsafe self.init(start, on: path, ErrorBox.unboxed(error), at: RuleStepCursor(.none), progress)
        subject = findings
        if !isOver { enter(stage) }
    }

    /// Goes on with steps that were looked up already.
    private init(
        _ program: Unmanaged<DispatchProgram>, on path: HandlerPath.Steps?, _ error: any Error,
        at cursor: RuleStepCursor, _ progress: consuming DispatchProgress
    ) {
        unsafe self.program = program
        self.path = path
        self.error = error
        self.cursor = cursor
        self.progress = progress
    }

    // MARK: Which rule is next

    /// The next rule to try, or nil at the end.
    private mutating func next() -> RuleStep? {
        while progress.stage != nil {
            if !progress.isStageOver, let step = cursor.next() {
                // Taken up after a rule, it goes on behind that.
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

    /// Begins the program's part of a stage.
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

    /// Dispatches an error without suspending, and without a walk where the first rule is all there is to it.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - program: The only program, unless there is a path.
    ///   - path: The path.
    ///   - report: The error's report.
    ///   - supervisor: Who may take the dispatch away.
    ///   - progress: Nothing yet; then what has become of the error, or where to go on.
    /// - Returns: How far it came.
    static func run(
        _ error: any Error,
        through program: Unmanaged<DispatchProgram>,
        on path: HandlerPath.Steps?,
        _ report: inout LazyReport,
        under supervisor: any ActionSupervisor,
        into progress: inout DispatchProgress
    ) -> SynchronousEnd {
        let program = unsafe path?.program(0, .rules) ?? program
        var start = unsafe program._withUnsafeGuaranteedRef {
            $0.begin(error, mayStopAtAsynchronous: true, under: supervisor)
        }
        // Where a handler on the path has no rule for the error, the next one begins.
        while start.kind == .noMatch, let path, progress.handler + 1 < path.count(in: .rules) {
            _ = progress.advance(handlers: path.count(in: .rules))
            start = unsafe path.program(progress.handler, .rules)._withUnsafeGuaranteedRef {
                $0.begin(error, mayStopAtAsynchronous: true, under: supervisor)
            }
        }
        if start.kind == .superseded { return .superseded }
        if let step = start.step { progress.record(start, at: step, error, &report) }
        let hasFallbacks = unsafe path?.hasFallbacks ?? program._withUnsafeGuaranteedRef { $0.hasFallbacks }
        let isLastHandler = progress.handler + 1 >= path?.count(in: .rules) ?? 1
        if !hasFallbacks, progress.isStageOver || isLastHandler && start.isLast { return .completed }
        if isLastHandler, start.isLast { _ = progress.advance(handlers: path?.count(in: .rules) ?? 1) }
        var walk = unsafe DispatchWalk(program, on: path, error, from: progress)
        return walk.finish(&report, ifAsynchronous: .stop, under: supervisor, into: &progress)
    }

    /// The same for a single program and nobody who could take the dispatch away, and not where an asynchronous rule
    /// could come up.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - program: The program.
    ///   - origin: What the error's report is made of.
    /// - Returns: The outcome; nil where an asynchronous rule could come up, and nothing has run.
    @inline(__always)
    static func runIfSynchronous<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, _ origin: @autoclosure () -> Origin
    ) -> HandleOutcome? {
        let (start, hasFallbacks) = unsafe program._withUnsafeGuaranteedRef {
            ($0.begin(error, mayStopAtAsynchronous: false, under: nil), $0.hasFallbacks)
        }
        if start.kind == .declined { return nil }
        if !hasFallbacks, start.isOver { return start.outcome }
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
            _ = walk.finish(&report, ifAsynchronous: .stop, under: nil)
            return walk.progress.outcome
        }
    }

    /// Tries the rules that are left, and says how far it came.
    private mutating func finish(
        _ report: inout LazyReport, ifAsynchronous asynchronousRules: AsynchronousRules,
        under supervisor: (any ActionSupervisor)?, into progress: inout DispatchProgress
    ) -> SynchronousEnd {
        let end = finish(&report, ifAsynchronous: asynchronousRules, under: supervisor)
        if let waiting {
            self.progress.willNotTry(waiting)
            if let subject { self.progress.keep(subject) }
        }
        progress = self.progress
        return end
    }

    /// Tries the rules that are left in their order, up to the first asynchronous one.
    mutating func finish(
        _ report: inout LazyReport, ifAsynchronous asynchronousRules: AsynchronousRules,
        under supervisor: (any ActionSupervisor)?
    ) -> SynchronousEnd {
        while let step = next() {
            if let supervisor, !supervisor.isCurrent { return .superseded }
            if step.isAsynchronous {
                if asynchronousRules == .skip { continue }
                waiting = step
                return .needsSuspension
            }
            carryOutcome(for: step, &report)
            do {
                let answer = try act(step, &report, under: supervisor)
                progress.record(answer, at: step)
            } catch is DispatchSuperseded {
                return .superseded
            } catch {
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

    /// Lets the report of an `always` action say what has become of the error so far.
    private func carryOutcome(for step: RuleStep, _ report: inout LazyReport) {
        guard progress.stage == .always, unsafe step.rule._withUnsafeGuaranteedRef({ $0.takesReport }) else { return }
        report.carry(progress.outcome)
    }

    // MARK: Suspending

    /// Dispatches an error for a single program, and nobody who could take the dispatch away.
    static func run<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, _ origin: Origin
    ) async -> HandleOutcome {
        let error = ErrorBox.unboxed(error)
        var (start, hasFallbacks) = unsafe program._withUnsafeGuaranteedRef {
            ($0.begin(error, mayStopAtAsynchronous: true, under: nil), $0.hasFallbacks)
        }
        if start.kind == .suspends { start = await start.acted(on: error) }
        if !hasFallbacks, start.isOver { return start.outcome }
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

    /// Tries the rules that are left in their order.
    ///
    /// - Parameters:
    ///   - report: The error's.
    ///   - supervisor: Who limits the time of asynchronous actions, and may take the dispatch away.
    mutating func finish(_ report: LazyReport, under supervisor: (any ActionSupervisor)?) async -> End {
        var report = report
        while true {
            switch finish(&report, ifAsynchronous: .stop, under: supervisor) {
            case .completed: return .completed
            case .superseded: return .superseded(known: 0)
            case .needsSuspension: break
            }
            guard let step = waiting.take() else { return .completed }
            carryOutcome(for: step, &report)
            // What an action that comes back too late has thrown is told already: it has failed by its time limit.
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
        let watch = ActionWatch(supervisor: supervisor, rule: rule, progress: progress, report: made)
        return try await supervisor.supervising(made) {
            try await rule.actSuspending(&subject, &report, isCertain: step.isCertain, watch: watch)
        }
    }

    /// Whether an asynchronous rule does come up.
    ///
    /// That is one that matches (reached or not), an `onNoMatch` that would apply, or an `always`. It asks matchers,
    /// and runs no action.
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
