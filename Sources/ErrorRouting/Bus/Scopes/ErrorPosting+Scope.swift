extension ErrorPosting {
    /// Creates a scope below this poster, for a part of the program with its own rules, and returns a poster for the
    /// scope.
    ///
    /// Use it in a library that receives any poster, or that posts to ``AmbientErrorPosting`` (`.ambient`):
    ///
    /// ```swift
    /// public init(errors: any ErrorPosting = .ambient) {
    ///     self.errors = errors.scope("cache", handler: ErrorHandler().ignore(EntryMissing.self))
    /// }
    /// ```
    ///
    /// Below a bus or a scope, the result is an ``ErrorScope``. Below `.ambient`, the scope is found on each post,
    /// because the task's bus might have changed by then.
    ///
    /// If there is no bus, or if this poster has a custom type, the rules of the scopes that were created with this
    /// method handle the error first, in the same order as on a bus: actions run during the call, except that the first
    /// asynchronous action and the actions after it run in a task. The failures of actions are handled in the same way.
    /// Errors that no rule matches are passed to this poster, and from there, for example, to the last resort. If such
    /// an action posts an error to a scope without a bus, that scope's rules are skipped, so that actions can't call
    /// each other without end.
    ///
    /// - Parameters:
    ///   - name: The scope's name in reports.
    ///   - handler: The scope's rules; none by default, for a scope that adds only a name and metadata.
    ///   - order: Whether the scope's rules are tried before or after the rules of the enclosing scopes and the bus.
    ///   - metadata: Metadata for the scope's reports; it takes precedence over the metadata of the enclosing scopes.
    /// - Returns: A poster for the scope.
    public func scope(
        _ name: String, handler: ErrorHandler = .init(), order: ErrorScope.Order = .innermostFirst,
        metadata: [String: String] = [:]
    ) -> any ErrorPosting {
        let own = ScopeContext.Own(name, handler, order, metadata)
        if let bus = self as? ErrorBus { return ErrorScope(own, in: nil, of: bus) }
        if let scope = self as? ErrorScope { return ErrorScope(own, in: scope.context, of: scope.bus) }
        let poster = self as? ScopedPosting
        return ScopedPosting(base: poster?.base ?? self, context: ScopeContext(own, in: poster?.context, root: nil))
    }
}

/// A poster that posts through scopes below another poster and finds the scopes' bus on each post.
struct ScopedPosting: ErrorPosting {
    /// The poster around the scopes; never a `ScopedPosting`.
    let base: any ErrorPosting
    /// The innermost scope as it is without a bus and without outer scopes.
    let context: ScopeContext

    private var ambient: AmbientErrorPosting? { base as? AmbientErrorPosting }

    /// The innermost scope, below the base's scope or bus.
    ///
    /// It has no bus if the base has neither a scope nor a bus now, or isn't the ambient poster.
    private var innermost: ErrorScope {
        let (bus, outer) = ambient?.target ?? (nil, nil)
        let scope = context.selfAndEnclosing.reversed().reduce(outer) { ErrorScope($1.own, in: $0?.context, of: bus) }
        guard let scope else { preconditionFailure("a context is its own innermost scope") }
        return scope
    }

    /// The innermost scope; nil if it has no bus.
    var scope: ErrorScope? {
        let scope = innermost
        return scope.bus == nil ? nil : scope
    }

    var wrapped: (any ErrorPosting)? { scope ?? base }

    func post(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        let scope = innermost
        if scope.bus != nil { return scope.post(error, as: role, metadata: metadata, source: source) }
        handle(scope.reportWithoutBus(of: error, as: role, metadata: metadata, source: source))
    }

    @discardableResult
    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        let scope = innermost
        if scope.bus != nil { return await scope.deliver(error, as: role, metadata: metadata, source: source) }
        let report = scope.reportWithoutBus(of: error, as: role, metadata: metadata, source: source)
        if !Self.isHandling {
            defer { withExtendedLifetime(context) {} }
            let outcome = await Self.$isHandling.withValue(true) {
                await context.blocks.dispatch(
                    report.error, isAttempt: report.role == .attempt, DispatchReporter(report))
            }
            handle(outcome.failures, of: report)
            if isHandled(report, by: outcome) { return outcome }
        }
        if let ambient, ambient.target.bus == nil { return ambient.writeToLastResort(report) }
        return await base.deliver(report.error, as: role, metadata: report.givenMetadata, source: source)
    }

    // MARK: Without a bus

    /// Whether a rule of a scope without a bus is running its action in this task, so that all rules are skipped.
    @TaskLocal private static var isHandling = false

    /// Returns whether a report needn't be passed on.
    ///
    /// An attempt counts as ignored, but the line of the last resort must show it.
    private func isHandled(_ report: ErrorReport, by outcome: HandleOutcome) -> Bool {
        outcome.isHandled && report.role != .attempt
    }

    /// Tries the scopes' rules for a report and passes on an error that they don't handle.
    ///
    /// The first asynchronous rule and the rules after it run in a task.
    private func handle(_ report: ErrorReport) {
        defer { withExtendedLifetime(context) {} }
        if Self.isHandling { return passOn(report) }
        var runner = RuleRunner(context.blocks, DispatchReporter(report), isAttempt: report.role == .attempt)
        let isSuspended = Self.$isHandling.withValue(true) { runner.run(report.error) }
        let dispatch = SuspendedDispatch(UnboxedError(report.error), runner)
        guard isSuspended else { return complete(report, with: dispatch.runner.outcome) }
        Task.detached {
            defer { withExtendedLifetime(context) {} }
            await Self.$isHandling.withValue(true) { await dispatch.runner.finish(dispatch.error, under: nil) }
            complete(report, with: dispatch.runner.outcome)
        }
    }

    private func complete(_ report: ErrorReport, with outcome: HandleOutcome) {
        handle(outcome.failures, of: report)
        if !isHandled(report, by: outcome) { passOn(report) }
    }

    /// Tries the scopes' rules for the failures of a report's actions.
    ///
    /// As on a bus, the failures of actions for such a failure go no further.
    private func handle(_ failures: [ActionFailure], of report: ErrorReport) {
        for failure in failures {
            let failed = ErrorReport(of: failure)
            if report.error is ActionFailure { passOn(failed) } else { handle(failed) }
        }
    }

    /// Passes an error that no rule handles to the base; if the base finds no bus, to the last resort.
    private func passOn(_ report: ErrorReport) {
        if let ambient, ambient.target.bus == nil {
            ambient.writeToLastResort(report)
        } else {
            base.post(report.error, as: report.role, metadata: report.givenMetadata, source: report.source)
        }
    }
}
