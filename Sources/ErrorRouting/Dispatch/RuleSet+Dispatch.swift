extension RuleSet {
    /// How a dispatch ended.
    enum DispatchResult {
        case completed(HandleOutcome)
        /// The supervisor took it away: the outcome counts for nothing. What failed since an asynchronous action was
        /// last announced is known to nobody else.
        case superseded(unannounced: [ActionFailure])
    }

    /// Tries the rules in order, on the caller's executor.
    ///
    /// - Parameters:
    ///   - report: What is handed to the actions.
    ///   - progress: Where to begin; a fresh one for a new report.
    ///   - supervisor: Who limits the time of asynchronous actions, if anyone does.
    /// - Returns: How it ended. Without a supervisor it is completed.
    func dispatch(
        _ report: ErrorReport,
        from progress: DispatchProgress = DispatchProgress(),
        under supervisor: (any ActionSupervisor)? = nil
    ) async -> DispatchResult {
        var report = report
        var progress = progress
        var announced = progress.outcome.failures.count
        var subject = ErrorSubject(report.error)
        while let rule = progress.next(in: self) {
            if progress.stage == .always { report.outcome = progress.outcome }
            let answer: DispatchProgress.Answer
            do {
                if case .asynchronous(let run) = rule.body {
                    if let supervisor {
                        let watch = ActionWatch(supervisor: supervisor, rule: rule, progress: progress, report: report)
                        announced = progress.outcome.failures.count
                        answer = .init(
                            try await supervisor.supervising(report) { try await run(&subject, report, watch) }
                        )
                        supervisor.actionDidEnd()
                    } else {
                        answer = .init(try await run(&subject, report, nil))
                    }
                } else {
                    answer = try rule.answerSynchronously(&subject, report, under: supervisor)
                }
            } catch is DispatchSuperseded {
                return .superseded(unannounced: Array(progress.outcome.failures.dropFirst(announced)))
            } catch {
                if rule.isAsynchronous { supervisor?.actionDidEnd() }
                answer = .failed(ActionFailure(error: error, report: report, rule: rule.description))
            }
            if case .notMatched = answer { continue }
            progress.record(answer, of: rule)
            if let supervisor, !supervisor.isCurrent {
                // An asynchronous action that comes back too late has failed already, by its time limit.
                let failures = progress.outcome.failures.dropFirst(announced)
                return .superseded(unannounced: rule.isAsynchronous ? [] : Array(failures))
            }
        }
        return .completed(progress.outcome)
    }

    /// Tries the rules in order without suspending, if none that could run is asynchronous.
    ///
    /// - Parameter report: What is handed to the actions.
    /// - Returns: The outcome; or nil, and no action has run.
    func dispatchSynchronously(_ report: @autoclosure () -> ErrorReport, for error: any Error) -> HandleOutcome? {
        var subject = ErrorSubject(error)
        guard !needsSuspension(for: &subject) else { return nil }
        var report = report()
        var progress = DispatchProgress()
        while let rule = progress.next(in: self) {
            // An asynchronous rule did not match, or would have been found above; so it is not asked a second time.
            if rule.isAsynchronous { continue }
            if progress.stage == .always { report.outcome = progress.outcome }
            let answer: DispatchProgress.Answer
            do {
                answer = try rule.answerSynchronously(&subject, report, under: nil)
            } catch {
                answer = .failed(ActionFailure(error: error, report: report, rule: rule.description))
            }
            progress.record(answer, of: rule)
        }
        return progress.outcome
    }

    private func needsSuspension(for subject: inout ErrorSubject) -> Bool {
        if self[.always].contains(where: \.isAsynchronous) { return true }
        for rule in self[.rules].reversed() where rule.isAsynchronous {
            if rule.matches(&subject) { return true }
        }
        guard self[.onNoMatch].contains(where: \.isAsynchronous) else { return false }
        return !self[.rules].contains { $0.matches(&subject) }
    }
}

extension DispatchProgress.Answer {
    fileprivate init(_ strategy: HandleStrategy?) {
        self =
            switch strategy {
            case nil: .notMatched
            case .next: .next
            case .stop: .stop
            }
    }
}

extension Rule {
    fileprivate func answerSynchronously(
        _ subject: inout ErrorSubject,
        _ report: ErrorReport,
        under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        switch body {
        case .ignore(let matches): matches(&subject) ? .ignored : .notMatched
        case .synchronous(let run): .init(try run(&subject, report, supervisor))
        case .asynchronous: .notMatched
        }
    }
}
