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
        handle(report(of: error, as: role, metadata: metadata, source: source))
    }

    @discardableResult
    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        if let scope { return await scope.deliver(error, as: role, metadata: metadata, source: source) }
        return await handleAndWait(report(of: error, as: role, metadata: metadata, source: source))
    }

    // MARK: Without a bus

    /// Whether an action of such a handler is running in this task: the errors that the action posts skip handlers.
    @TaskLocal private static var isHandling = false

    /// The base's scope that was created without a bus, if there is one.
    private var outer: ErrorScope? { (base as? AmbientErrorPosting)?.wrapped as? ErrorScope }

    /// The names of the scopes around this one and its own, outermost first.
    private var path: [String] { ((base as? ScopedPosting)?.path ?? outer?.context.path ?? []) + [name] }

    /// Returns the metadata of the scopes around this one and its own, with a post's on top.
    private func metadata(with post: [String: String]) -> [String: String] {
        let own = metadata.merging(post) { _, post in post }
        if let base = base as? ScopedPosting { return base.metadata(with: own) }
        return outer.map { $0.context.forReports.metadata(with: $0.context.annotated(own)) } ?? own
    }

    private func report(
        of error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) -> ErrorReport {
        ErrorReport(error: error, role: role, source: source, metadata: self.metadata(with: metadata), scope: path)
    }

    /// Whether the handler isn't called: an attempt has no rule, but the line of the last resort must show it.
    private func skipsHandler(for report: ErrorReport) -> Bool {
        Self.isHandling || handler.rules.isEmpty || report.role == .attempt
    }

    private func handle(_ report: ErrorReport) {
        if skipsHandler(for: report) { return pass(report) }
        let outcome = Self.$isHandling.withValue(true) {
            handler.rules.dispatchIfSynchronous(report.error, DispatchReporter(report))
        }
        if let outcome {
            pass(outcome.failures, of: report)
            if !outcome.isHandled { pass(report) }
        } else {
            Task.detached { await handleAndWait(report) }
        }
    }

    @discardableResult
    private func handleAndWait(_ report: ErrorReport) async -> HandleOutcome {
        if skipsHandler(for: report) { return await passAndWait(report) }
        let outcome = await Self.$isHandling.withValue(true) { await handler.handle(report) }
        pass(outcome.failures, of: report)
        return outcome.isHandled ? outcome : await passAndWait(report)
    }

    private func pass(_ failures: [ActionFailure], of report: ErrorReport) {
        for failure in failures {
            pass(
                ErrorReport(
                    error: failure, source: report.source, metadata: report.givenMetadata, scope: report.scope))
        }
    }

    /// Passes a report to the base, with its path if the base is a scope or the last resort.
    private func pass(_ report: ErrorReport) {
        if let base = base as? ScopedPosting { return base.handle(report) }
        if let base = base as? AmbientErrorPosting, base.bus == nil { return base.writeToLastResort(report) }
        base.post(report.error, as: report.role, metadata: report.givenMetadata, source: report.source)
    }

    /// Works like ``pass(_:)``, and waits for the outcome.
    private func passAndWait(_ report: ErrorReport) async -> HandleOutcome {
        if let base = base as? ScopedPosting { return await base.handleAndWait(report) }
        if let base = base as? AmbientErrorPosting, base.bus == nil {
            base.writeToLastResort(report)
            return HandleOutcome(disposition: .unmatched)
        }
        return await base.deliver(report.error, as: report.role, metadata: report.givenMetadata, source: report.source)
    }
}
