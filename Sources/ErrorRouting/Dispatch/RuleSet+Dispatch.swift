extension RuleSet {
    /// Tries the rules in order, on the caller's executor.
    ///
    /// - Parameters:
    ///   - report: What is handed to the actions.
    ///   - progress: Where to begin; a fresh one for a new report.
    ///   - supervisor: Who limits the time of asynchronous actions, if anyone does.
    /// - Returns: The outcome, or nil if the supervisor took the dispatch away.
    func dispatch(
        _ report: ErrorReport,
        from progress: DispatchProgress = DispatchProgress(),
        under supervisor: (any ActionSupervisor)? = nil
    ) async -> HandleOutcome? {
        var report = report
        var progress = progress
        var subject = ErrorSubject(report.error)
        while let rule = progress.next(in: self) {
            if progress.stage == .always { report.outcome = progress.outcome }
            let answer: DispatchProgress.Answer
            if case .asynchronous(let run) = rule.body {
                let watch = supervisor.map { supervisor in
                    ActionWatch(supervisor: supervisor, rule: rule, progress: progress, report: report)
                }
                do {
                    answer = .init(try await run(&subject, report, watch))
                } catch {
                    answer = .failed(ActionFailure(error: error, report: report, rule: rule.description))
                }
            } else {
                answer = rule.answerSynchronously(&subject, report)
            }
            if case .notMatched = answer { continue }
            if let supervisor {
                if rule.isAsynchronous { supervisor.actionDidEnd() }
                guard supervisor.isCurrent else { return nil }
            }
            progress.record(answer, of: rule)
        }
        return progress.outcome
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
            progress.record(rule.answerSynchronously(&subject, report), of: rule)
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
        _ report: ErrorReport
    ) -> DispatchProgress.Answer {
        switch body {
        case .ignore(let matches):
            return matches(&subject) ? .ignored : .notMatched
        case .synchronous(let run):
            do {
                return .init(try run(&subject, report))
            } catch {
                return .failed(ActionFailure(error: error, report: report, rule: description))
            }
        case .asynchronous:
            return .notMatched
        }
    }
}
