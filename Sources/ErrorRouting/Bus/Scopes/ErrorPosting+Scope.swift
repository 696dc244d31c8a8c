extension ErrorPosting {
    /// Creates a part of the program with its own rules: a poster that posts through a scope below this one.
    ///
    /// Use it in a library that receives any poster, or that posts to ``AmbientErrorPosting`` (`.ambient`):
    ///
    /// ```swift
    /// public init(errors: any ErrorPosting = .ambient) {
    ///     self.errors = errors.scope("cache", handler: ErrorHandler().ignore(EntryMissing.self))
    /// }
    /// ```
    ///
    /// Below a bus or a scope it is an ``ErrorScope``. Below `.ambient` the scope is resolved at each post, because the
    /// task's bus might be another one then. If there is no bus, or if this poster is of your own type, the handler
    /// handles the error first: its synchronous actions run in the call, asynchronous ones in a task. An error that no
    /// rule of the handler matches goes on to this poster, for example to the last resort, and so do the failures of
    /// actions. An error that such an action posts to a scope without a bus skips that scope's handler, so that actions
    /// can't call each other without end.
    ///
    /// - Parameters:
    ///   - name: The scope's name in reports.
    ///   - handler: Its rules; none by default, for a scope that only has a name and metadata.
    ///   - order: Whether its rules are tried before those around it or after them.
    ///   - metadata: Metadata for its reports, on top of that of the scopes around it.
    /// - Returns: A poster for the scope.
    public func scope(
        _ name: String, handler: ErrorHandler = .init(), order: ErrorScope.Order = .innermostFirst,
        metadata: [String: String] = [:]
    ) -> any ErrorPosting {
        if let bus = self as? ErrorBus { return bus.scope(name, handler: handler, order: order, metadata: metadata) }
        if let scope = self as? ErrorScope {
            return scope.scope(name, handler: handler, order: order, metadata: metadata)
        }
        return ScopedPosting(base: self, name: name, handler: handler, order: order, metadata: metadata)
    }
}

/// A poster that posts through a scope below another poster, and finds the scope at each post.
struct ScopedPosting: ErrorPosting {
    let base: any ErrorPosting
    let name: String
    let handler: ErrorHandler
    let order: ErrorScope.Order
    let metadata: [String: String]

    /// The scope below the base's scope or bus; nil if the base has none now, or isn't the ambient poster.
    var scope: ErrorScope? {
        let target = (base as? AmbientErrorPosting)?.wrapped ?? (base as? ScopedPosting)?.scope
        if let scope = (target as? ErrorScope)?.rooted, scope.bus != nil {
            return scope.scope(name, handler: handler, order: order, metadata: metadata)
        }
        return (target as? ErrorBus)?.scope(name, handler: handler, order: order, metadata: metadata)
    }

    var wrapped: (any ErrorPosting)? { scope ?? base }

    func post(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        if let scope { return scope.post(error, as: role, metadata: metadata, source: source) }
        let report = report(of: error, as: role, metadata: metadata, source: source)
        // An attempt has no rule, but without a bus its line is all that shows it.
        if Self.isHandling || handler.rules.isEmpty || role == .attempt { return pass(report) }
        let outcome = Self.$isHandling.withValue(true) {
            handler.rules.dispatchIfSynchronous(report.error, DispatchNotes(report))
        }
        if let outcome { return finish(report, outcome) }
        Task.detached { finish(report, await Self.$isHandling.withValue(true) { await handler.handle(report) }) }
    }

    @discardableResult
    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        if let scope { return await scope.deliver(error, as: role, metadata: metadata, source: source) }
        let report = report(of: error, as: role, metadata: metadata, source: source)
        if Self.isHandling || handler.rules.isEmpty || role == .attempt { return await passAndWait(report) }
        let outcome = await Self.$isHandling.withValue(true) { await handler.handle(report) }
        pass(outcome.failures, of: report)
        return outcome.isHandled ? outcome : await passAndWait(report)
    }

    // MARK: Without a bus

    /// Whether an action of such a handler is running in this task: what the action posts isn't handled again.
    @TaskLocal private static var isHandling = false

    private func report(
        of error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) -> ErrorReport {
        let all = self.metadata.merging(metadata) { _, post in post }
        return ErrorReport(error: error, role: role, source: source, metadata: all, scope: path)
    }

    private var path: [String] { ((base as? ScopedPosting)?.path ?? []) + [name] }

    private func finish(_ report: ErrorReport, _ outcome: HandleOutcome) {
        pass(outcome.failures, of: report)
        if !outcome.isHandled { pass(report) }
    }

    private func pass(_ failures: [ActionFailure], of report: ErrorReport) {
        for failure in failures {
            base.post(failure, as: .failure, metadata: report.metadata, source: report.source)
        }
    }

    private func pass(_ report: ErrorReport) {
        base.post(report.error, as: report.role, metadata: report.metadata, source: report.source)
    }

    private func passAndWait(_ report: ErrorReport) async -> HandleOutcome {
        await base.deliver(report.error, as: report.role, metadata: report.metadata, source: report.source)
    }
}
