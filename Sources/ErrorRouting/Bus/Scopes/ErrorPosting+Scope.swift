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
    /// If there is no bus, or if this poster has a custom type, the given handler handles the error first: its
    /// synchronous actions run during the call, and its asynchronous actions run in a task. Errors that the handler's
    /// rules don't match are passed to this poster, and from there, for example, to the last resort. The failures of
    /// actions are passed in the same way. If such an action posts an error to a scope without a bus, that scope's
    /// handler is skipped, so that actions can't call each other without end.
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
        if let bus = self as? ErrorBus { return bus.scope(name, handler: handler, order: order, metadata: metadata) }
        if let scope = self as? ErrorScope {
            return scope.scope(name, handler: handler, order: order, metadata: metadata)
        }
        return ScopedPosting(base: self, name: name, handler: handler, order: order, metadata: metadata)
    }
}

/// A poster that posts through a scope below another poster and finds the scope on each post.
struct ScopedPosting: ErrorPosting {
    let base: any ErrorPosting
    let name: String
    let handler: ErrorHandler
    let order: ErrorScope.Order
    let metadata: [String: String]

    /// The scope below the base's scope or bus; nil if the base has neither now, or isn't the ambient poster.
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

    /// Whether the handler of a scope without a bus is running an action in this task, so that handlers are skipped.
    @TaskLocal private static var isHandling = false

    /// The base's scope if that scope was created without a bus; otherwise nil.
    private var outer: ErrorScope? { (base as? AmbientErrorPosting)?.wrapped as? ErrorScope }

    /// The names of the enclosing scopes and of this scope, outermost first.
    private var path: [String] { ((base as? ScopedPosting)?.path ?? outer?.context.path ?? []) + [name] }

    /// Returns the metadata of the enclosing scopes, of this scope, and of a post; later values win.
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

    /// Returns whether the handler isn't called for a report.
    ///
    /// Rules aren't tried for an attempt, but the line of the last resort must show the attempt.
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

    /// Passes a report to the base; a scope and the last resort also receive the path.
    private func pass(_ report: ErrorReport) {
        if let base = base as? ScopedPosting { return base.handle(report) }
        if let base = base as? AmbientErrorPosting, base.bus == nil { return base.writeToLastResort(report) }
        base.post(report.error, as: report.role, metadata: report.givenMetadata, source: report.source)
    }

    /// Works like ``pass(_:)`` and waits for the outcome.
    private func passAndWait(_ report: ErrorReport) async -> HandleOutcome {
        if let base = base as? ScopedPosting { return await base.handleAndWait(report) }
        if let base = base as? AmbientErrorPosting, base.bus == nil {
            base.writeToLastResort(report)
            return HandleOutcome(disposition: .unmatched)
        }
        return await base.deliver(report.error, as: report.role, metadata: report.givenMetadata, source: report.source)
    }
}
