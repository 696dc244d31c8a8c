/// Dispatches are never inlined: what a walk refers to lives as long as the set, and a set that is passed to a call
/// lives as long as that.
extension RuleSet {
    /// How a supervised dispatch ended.
    struct DispatchResult {
        let progress: DispatchProgress
        /// Nil if it came to its end. Else the supervisor took it away, the outcome counts for nothing, and the failures
        /// from this one on are known to nobody else, since no asynchronous action was announced after them.
        var unannounced: Int?
    }

    /// Tries the rules in order, on the caller's executor, without anyone to limit their time.
    ///
    /// For errors that an asynchronous rule could match; the others need not pay for a function that may suspend.
    @inline(never)
    func dispatch(_ error: any Error, _ report: LazyReport) async -> HandleOutcome {
        var walk = unsafe DispatchWalk(unretainedProgram, error, from: DispatchProgress())
        var report = report
        while let step = walk.next() {
            if walk.progress.stage == .always { report.carry(walk.progress.outcome) }
            do {
                let answer =
                    step.isAsynchronous
                    ? try await step.answer(&walk.subject, report.made(for: error), watch: nil)
                    : try step.answerSynchronously(&walk.subject, &report, under: nil)
                unsafe walk.record(answer, of: step.rule)
            } catch {
                unsafe walk.record(error, &report, of: step.rule)
            }
        }
        return walk.progress.outcome
    }

    /// Tries the rules in order, if by the error's type alone none of them can be asynchronous; else answers nil, and
    /// none has been tried.
    @inline(never)
    func dispatchIfSynchronous(_ error: any Error, _ report: consuming LazyReport) -> HandleOutcome? {
        var walk = unsafe DispatchWalk(unretainedProgram, error, from: DispatchProgress())
        if walk.mayBeAsynchronous { return nil }
        Self.finish(&walk, &report)
        return walk.progress.outcome
    }

    /// Tries the rules in order for a supervisor, if by the error's type alone none of them can be asynchronous; else
    /// answers nil, and none has been tried.
    @inline(never)
    func dispatchIfSynchronous(_ pending: PendingReport, under supervisor: some ActionSupervisor) -> DispatchResult? {
        var walk = unsafe DispatchWalk(unretainedProgram, pending.error, from: DispatchProgress())
        if walk.mayBeAsynchronous { return nil }
        var report = LazyReport(pending)
        while let step = walk.next() {
            if walk.progress.stage == .always { report.carry(walk.progress.outcome) }
            do {
                let answer = try step.answerSynchronously(&walk.subject, &report, under: supervisor)
                if case .notMatched = answer { continue }
                unsafe walk.record(answer, of: step.rule)
            } catch is DispatchSuperseded {
                return DispatchResult(progress: walk.progress, unannounced: 0)
            } catch {
                unsafe walk.record(error, &report, of: step.rule)
            }
            if !supervisor.isCurrent { return DispatchResult(progress: walk.progress, unannounced: 0) }
        }
        return DispatchResult(progress: walk.progress)
    }

    /// Tries the rules in order for a supervisor.
    ///
    /// - Parameters:
    ///   - pending: What was posted.
    ///   - progress: Where to begin; a fresh one for a new report.
    ///   - supervisor: Who limits the time of asynchronous actions, and may take the dispatch away.
    /// - Returns: How it ended.
    @inline(never)
    func dispatch(
        _ pending: PendingReport,
        from progress: DispatchProgress,
        under supervisor: some ActionSupervisor
    ) async -> DispatchResult {
        let error = pending.error
        var walk = unsafe DispatchWalk(unretainedProgram, error, from: progress)
        var announced = progress.failures.count
        var lazy = LazyReport(pending)
        while let step = walk.next() {
            if walk.progress.stage == .always { lazy.carry(walk.progress.outcome) }
            let isAsynchronous = step.isAsynchronous
            do {
                let answer: DispatchProgress.Answer
                if isAsynchronous {
                    let report = lazy.made(for: error)
                    let watch = unsafe ActionWatch(
                        supervisor: supervisor,
                        rule: step.rule.takeUnretainedValue(),
                        progress: walk.progress,
                        report: report
                    )
                    announced = walk.progress.failures.count
                    answer = try await supervisor.supervising(report) {
                        try await step.answer(&walk.subject, report, watch: watch)
                    }
                    supervisor.actionDidEnd()
                } else {
                    answer = try step.answerSynchronously(&walk.subject, &lazy, under: supervisor)
                }
                if case .notMatched = answer { continue }
                unsafe walk.record(answer, of: step.rule)
            } catch is DispatchSuperseded {
                return DispatchResult(progress: walk.progress, unannounced: announced)
            } catch {
                if isAsynchronous { supervisor.actionDidEnd() }
                unsafe walk.record(error, &lazy, of: step.rule)
            }
            guard supervisor.isCurrent else {
                // An asynchronous action that comes back too late has failed already, by its time limit.
                let failures = walk.progress.failures
                return DispatchResult(
                    progress: walk.progress,
                    unannounced: isAsynchronous ? failures.count : announced
                )
            }
        }
        return DispatchResult(progress: walk.progress)
    }

    /// Tries the rules in order without suspending, if none that could run is asynchronous.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - report: What is handed to the actions.
    /// - Returns: The outcome; or nil, and no action has run.
    @inline(never)
    func dispatchSynchronously(_ error: any Error, _ report: LazyReport) -> HandleOutcome? {
        var walk = unsafe DispatchWalk(unretainedProgram, error, from: DispatchProgress())
        if walk.mayBeAsynchronous, walk.needsSuspension() { return nil }
        var report = report
        Self.finish(&walk, &report)
        return walk.progress.outcome
    }

    /// Goes through the synchronous rules to the end.
    @inline(__always)
    private static func finish(_ walk: inout DispatchWalk, _ report: inout LazyReport) {
        while let step = walk.next() {
            // An asynchronous rule is known not to match, so it is not asked a second time.
            if step.isAsynchronous { continue }
            if walk.progress.stage == .always { report.carry(walk.progress.outcome) }
            do {
                unsafe walk.record(try step.answerSynchronously(&walk.subject, &report, under: nil), of: step.rule)
            } catch {
                unsafe walk.record(error, &report, of: step.rule)
            }
        }
    }
}

extension RuleStep {
    fileprivate var isAsynchronous: Bool { unsafe rule._withUnsafeGuaranteedRef { $0.isAsynchronous } }

    fileprivate func answerSynchronously(
        _ subject: inout ErrorSubject,
        _ report: inout LazyReport,
        under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        try unsafe rule._withUnsafeGuaranteedRef { rule in
            try rule.answerSynchronously(&subject, &report, isCertain: isCertain, under: supervisor)
        }
    }

    fileprivate func answer(
        _ subject: inout ErrorSubject,
        _ report: ErrorReport,
        watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        let rule = unsafe rule.takeUnretainedValue()
        return try await rule.answer(&subject, report, isCertain: isCertain, watch: watch)
    }
}
