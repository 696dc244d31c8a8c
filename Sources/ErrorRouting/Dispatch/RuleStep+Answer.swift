extension RuleStep {
    /// Whether what the rule does may suspend.
    var isAsynchronous: Bool { unsafe rule._withUnsafeGuaranteedRef { $0.isAsynchronous } }

    /// Asks the rule, and lets it act without suspending.
    func answerSynchronously(
        _ subject: inout ErrorSubject,
        _ report: inout LazyReport,
        under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        try unsafe rule._withUnsafeGuaranteedRef { rule in
            try rule.answerSynchronously(&subject, &report, isCertain: isCertain, under: supervisor)
        }
    }

    /// Asks the rule, and lets it act.
    func answer(
        _ subject: inout ErrorSubject,
        _ report: ErrorReport,
        watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        let rule = unsafe rule.takeUnretainedValue()
        return try await rule.answer(&subject, report, isCertain: isCertain, watch: watch)
    }
}
