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
        let (poster, layer) = (self as? ScopedPosting, ScopeContext.Own(name, handler, order, metadata))
        return ScopedPosting(base: poster?.base ?? self, layers: (poster?.layers ?? []) + [layer])
    }
}

/// A poster that posts through scopes below another poster and finds the scopes on each post.
struct ScopedPosting: ErrorPosting {
    /// The poster around the scopes; never a `ScopedPosting`.
    let base: any ErrorPosting
    /// The scopes' own values, outermost first; never empty.
    let layers: [ScopeContext.Own]

    private var ambient: AmbientErrorPosting? { base as? AmbientErrorPosting }

    /// The innermost scope, below the base's scope or bus.
    ///
    /// It has no bus if the base has neither a scope nor a bus now, or isn't the ambient poster.
    private var innermost: ErrorScope {
        let (bus, outer) = ambient?.target ?? (nil, nil)
        guard let scope = layers.reduce(outer, { ErrorScope($1, in: $0?.context, of: bus) }) else {
            preconditionFailure("there is no layer")
        }
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
        handle(scope.reportWithoutBus(of: error, as: role, metadata: metadata, source: source), from: layers.count)
    }

    @discardableResult
    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        let scope = innermost
        if scope.bus != nil { return await scope.deliver(error, as: role, metadata: metadata, source: source) }
        let report = scope.reportWithoutBus(of: error, as: role, metadata: metadata, source: source)
        return await handleAndWait(report, from: layers.count)
    }

    // MARK: Without a bus

    /// Whether a rule of a scope without a bus is running its action in this task, so that all rules are skipped.
    @TaskLocal private static var isHandling = false

    /// Returns whether a layer's rules are tried for a report.
    ///
    /// Rules aren't tried for an attempt, but the line of the last resort must show the attempt.
    private func triesRules(of layer: ScopeContext.Own, for report: ErrorReport) -> Bool {
        !Self.isHandling && !layer.rules.isEmpty && report.role != .attempt
    }

    /// Tries the rules of a number of outermost layers, innermost first; the base receives an error that they don't
    /// handle.
    private func handle(_ report: ErrorReport, from count: Int) {
        for index in (0..<count).reversed() where triesRules(of: layers[index], for: report) {
            let outcome = Self.$isHandling.withValue(true) {
                layers[index].rules.dispatchIfSynchronous(report.error, DispatchReporter(report))
            }
            guard let outcome else {
                Task.detached { await handleAndWait(report, from: index + 1) }
                return
            }
            handle(outcome.failures, of: report, from: index)
            if outcome.isHandled { return }
        }
        if let ambient, ambient.target.bus == nil { return ambient.writeToLastResort(report) }
        base.post(report.error, as: report.role, metadata: report.givenMetadata, source: report.source)
    }

    /// Works like ``handle(_:from:)`` and waits for the outcome.
    @discardableResult
    private func handleAndWait(_ report: ErrorReport, from count: Int) async -> HandleOutcome {
        for index in (0..<count).reversed() where triesRules(of: layers[index], for: report) {
            let outcome = await Self.$isHandling.withValue(true) {
                await layers[index].rules.dispatch(report.error, DispatchReporter(report))
            }
            handle(outcome.failures, of: report, from: index)
            if outcome.isHandled { return outcome }
        }
        if let ambient, ambient.target.bus == nil {
            ambient.writeToLastResort(report)
            return HandleOutcome(disposition: .unmatched)
        }
        return await base.deliver(report.error, as: report.role, metadata: report.givenMetadata, source: report.source)
    }

    private func handle(_ failures: [ActionFailure], of report: ErrorReport, from count: Int) {
        for failure in failures {
            let (metadata, scope) = (report.givenMetadata, report.scope)
            handle(ErrorReport(error: failure, source: report.source, metadata: metadata, scope: scope), from: count)
        }
    }
}
