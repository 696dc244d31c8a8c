/// One error's way through a program, or through several in their order: which rule is next, and what is known so far.
///
/// It holds nothing that other dispatches hold: programs, plans and rules are kept by the rule set, or by the path, for
/// as long as it takes.
@safe struct DispatchWalk: ~Copyable {
    /// The program that has its turn.
    private var program: Unmanaged<DispatchProgram>
    /// The way on from there; nil where there is but one program.
    private let path: HandlerPath.Steps?
    private var plan: Unmanaged<TypePlan>
    private var cursor: RuleStepCursor
    var subject: ErrorSubject
    private(set) var progress: DispatchProgress

    @inline(__always)
    init(_ program: Unmanaged<DispatchProgram>, _ error: any Error, from progress: DispatchProgress) {
        let subject = progress.findings ?? ErrorSubject(error)
        let plan = unsafe Self.plan(for: subject.type, subject.error, in: program)
        unsafe self.init(program, consume subject, plan, from: progress)
    }

    /// Begins on a path, or goes on there.
    @inline(__always)
    init(_ path: HandlerPath.Steps, _ error: any Error, from progress: DispatchProgress) {
        let subject = progress.findings ?? ErrorSubject(error)
        let program = unsafe path.program(progress.handler, progress.stage ?? .always)
        let plan = unsafe Self.plan(for: subject.type, subject.error, in: program)
        unsafe self.init(program, on: path, consume subject, plan, from: progress)
    }

    /// Begins with a plan that was looked up already.
    @inline(__always)
    init(
        _ program: Unmanaged<DispatchProgram>,
        on path: HandlerPath.Steps? = nil,
        _ subject: consuming ErrorSubject,
        _ plan: Unmanaged<TypePlan>,
        from progress: DispatchProgress
    ) {
        unsafe self.program = program
        self.path = path
        unsafe self.plan = plan
        cursor =
            progress.stage == .rules
            ? unsafe RuleStepCursor(plan, for: &subject)
            : unsafe Self.fallbacks(of: program, progress.stage)
        self.subject = subject
        self.progress = progress
    }

    /// The next rule to try, or nil at the end.
    mutating func next() -> RuleStep? {
        while progress.stage != nil {
            if !progress.isStageOver, let step = cursor.next() {
                // Taken up after a rule, it goes on behind that.
                guard step.order > progress.lastOrder else { continue }
                progress.willTry(step)
                return step
            }
            let handlers = progress.stage.flatMap { path?.count(in: $0) } ?? 1
            guard let stage = progress.advance(handlers: handlers) else { return nil }
            enter(stage)
        }
        return nil
    }

    /// Takes back that a rule is about to be tried: whoever goes on from here begins with it.
    mutating func putBack(_ step: RuleStep) {
        progress.willNotTry(step)
        keepFindings()
    }

    /// Lets whoever goes on from here know what was found out about the error.
    mutating func keepFindings() {
        progress.keep(subject)
    }

    /// Begins a stage, or another handler's part of it.
    @inline(__always)
    private mutating func enter(_ stage: RuleSet.Stage) {
        if path != nil { return enterOnPath(stage) }
        // A single program's rules have been the first.
        cursor = unsafe Self.fallbacks(of: program, stage)
    }

    @inline(never)
    private mutating func enterOnPath(_ stage: RuleSet.Stage) {
        guard let path, path.count(in: stage) > 0 else {
            cursor = RuleStepCursor(RuleStepList.none)
            return
        }
        unsafe program = path.program(progress.handler, stage)
        if stage == .rules {
            unsafe plan = Self.plan(for: subject.type, subject.error, in: program)
            cursor = unsafe RuleStepCursor(plan, for: &subject)
        } else {
            cursor = unsafe Self.fallbacks(of: program, stage)
        }
    }

    /// The steps of a stage behind the rules.
    @inline(__always)
    private static func fallbacks(of program: Unmanaged<DispatchProgram>, _ stage: RuleSet.Stage?) -> RuleStepCursor {
        unsafe program._withUnsafeGuaranteedRef { RuleStepCursor(stage == .onNoMatch ? $0.onNoMatch : $0.always) }
    }

    /// Looks at as little as it can: what a closure captures here is retained for it.
    @inline(__always)
    static func plan(
        for type: Any.Type,
        _ error: any Error,
        in program: Unmanaged<DispatchProgram>
    ) -> Unmanaged<TypePlan> {
        if let plan = unsafe program._withUnsafeGuaranteedRef({ unsafe $0.knownPlan(for: type) }) {
            return unsafe plan
        }
        return unsafe program.takeUnretainedValue().newPlan(for: error)
    }

    mutating func record(_ answer: DispatchProgress.Answer, of rule: Unmanaged<Rule>) {
        unsafe progress.record(answer, of: rule)
    }

    /// Takes what an action threw.
    mutating func record(_ error: any Error, _ report: inout LazyReport, of rule: Unmanaged<Rule>) {
        let description = unsafe rule._withUnsafeGuaranteedRef { $0.registration.description }
        let report = report.made(for: subject.error)
        unsafe progress.record(ActionFailure(error: error, report: report, rule: description), of: rule)
    }

    /// Whether an asynchronous rule could come up.
    var mayBeAsynchronous: Bool { unsafe Self.mayBeAsynchronous(plan, in: program) }

    @inline(__always)
    static func mayBeAsynchronous(
        _ plan: Unmanaged<TypePlan>,
        in program: Unmanaged<DispatchProgram>
    ) -> Bool {
        unsafe plan._withUnsafeGuaranteedRef { $0.hasAsynchronous }
            || program._withUnsafeGuaranteedRef { $0.hasAsynchronousFallback }
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
        var cursor = unsafe RuleStepCursor(plan, for: &subject)
        var hasMatch = false
        while let step = cursor.next() {
            let isAsynchronous = unsafe step.rule._withUnsafeGuaranteedRef { $0.isAsynchronous }
            guard isAsynchronous || onNoMatch && !hasMatch else { continue }
            let matches = unsafe step.isCertain || step.rule._withUnsafeGuaranteedRef { $0.matches(&subject) }
            if matches && isAsynchronous { return true }
            hasMatch = hasMatch || matches
        }
        return onNoMatch && !hasMatch
    }
}
