/// Dispatch for someone who limits its time, and may take it away.
extension DispatchWalk {
    /// How far a synchronous attempt came.
    enum SynchronousEnd {
        case completed
        /// An asynchronous rule has its turn: it is not asked, and whoever goes on begins with it.
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

    /// Tries the rules in their order, up to the first asynchronous one.
    ///
    /// What there is to know afterwards is in the walk, so that nothing has to be handed back.
    @inline(never)
    mutating func finishIfSynchronous(
        _ report: inout LazyReport,
        under supervisor: some ActionSupervisor
    ) -> SynchronousEnd {
        while let step = next() {
            if step.isAsynchronous {
                putBack(step)
                return .needsSuspension
            }
            if progress.stage == .always { report.carry(progress.outcome) }
            do {
                let answer = try step.answerSynchronously(&subject, &report, under: supervisor)
                if case .notMatched = answer { continue }
                unsafe record(answer, of: step.rule)
            } catch is DispatchSuperseded {
                return .superseded
            } catch {
                unsafe record(error, &report, of: step.rule)
            }
            if !supervisor.isCurrent { return .superseded }
        }
        return .completed
    }

    /// Tries the rules that are left in their order for a supervisor.
    ///
    /// - Parameters:
    ///   - report: The error's.
    ///   - supervisor: Who limits the time of asynchronous actions, and may take the dispatch away.
    @inline(never)
    mutating func finish(_ report: LazyReport, under supervisor: some ActionSupervisor) async -> End {
        let error = subject.error
        var lazy = report
        while let step = next() {
            if progress.stage == .always { lazy.carry(progress.outcome) }
            let isAsynchronous = step.isAsynchronous
            // What an action that comes back too late has thrown is told already: it has failed by its time limit.
            var isTold = false
            do {
                let answer: DispatchProgress.Answer
                if isAsynchronous {
                    let report = lazy.made(for: error)
                    keepFindings()
                    let watch = unsafe ActionWatch(
                        supervisor: supervisor,
                        rule: step.rule.takeUnretainedValue(),
                        progress: progress,
                        report: report
                    )
                    answer = try await supervisor.supervising(report) {
                        try await step.answer(&self.subject, report, watch: watch)
                    }
                    isTold = !supervisor.actionDidEnd()
                } else {
                    answer = try step.answerSynchronously(&subject, &lazy, under: supervisor)
                }
                if case .notMatched = answer { continue }
                unsafe self.record(answer, of: step.rule)
            } catch is DispatchSuperseded {
                return .superseded(known: 0)
            } catch {
                if isAsynchronous { isTold = !supervisor.actionDidEnd() }
                unsafe self.record(error, &lazy, of: step.rule)
            }
            guard supervisor.isCurrent else {
                return .superseded(known: isTold ? progress.failures.count : 0)
            }
        }
        return .completed
    }
}
