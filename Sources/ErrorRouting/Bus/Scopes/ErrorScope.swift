import BoundedDescriptions

/// A named part of the program with its own rules, below a bus or another scope.
///
/// The scope's bus delivers errors that are posted through the scope in the order of their posts. It tries the rules of
/// the whole path: the rules of the scope, of the enclosing scopes, and of the bus.
///
/// ```swift
/// let checkout = bus.scope("checkout", handler: ErrorHandler().on(CardDeclined.self) { … })
/// checkout.post(CardDeclined())                     // the checkout's rules first, then the bus's
/// await checkout.bound { … postError(error) … }     // the same, without passing a poster
/// ```
///
/// A scope only concatenates handlers, as if all rules of the path were registered in one handler. Only `onNoMatch` has
/// its own order: it runs if no rule on the whole path matched, and the rules of the innermost scope are tried first.
/// An ``ActionFailure`` takes the path of the report that the failed action handled. An action's posts don't belong to
/// a scope unless the action posts through a scope.
///
/// A scope retains its bus, and its pending reports retain the scope's rules and metadata. A rule that retains its own
/// scope creates a reference cycle that is never freed, so capture the scope weakly. A scope costs little until an
/// error is posted through it; scopes are designed to be created for each request.
public final class ErrorScope: ErrorPosting {
    /// The order of a scope's rules relative to the rules of the enclosing scopes and the bus.
    public enum Order: Sendable, Hashable, CaseIterable {
        /// The scope's rules are tried before the rules of the enclosing scopes and the bus.
        case innermostFirst
        /// The scope's rules are tried after the rules of the enclosing scopes and the bus, so that the bus decides
        /// first.
        case rootFirst
    }

    /// The scope's bus; nil if there was no bus when the scope was created.
    ///
    /// If it is nil, each post goes to the first of these that exists: the bus bound at that time, the root bus, the
    /// last resort.
    let bus: ErrorBus?
    /// The same bus, for posting without retaining it: otherwise, all callers would write to its reference count.
    var unretainedBus: Borrowed<ErrorBus>? { @inline(__always) get { bus.map(Borrowed.init) } }
    let context: ScopeContext

    private init(_ context: ScopeContext, of bus: ErrorBus?) {
        (self.bus, self.context) = (bus, context)
    }

    /// Creates a scope within another scope or directly below a bus.
    convenience init(_ own: ScopeContext.Own, in parent: ScopeContext?, of bus: ErrorBus?) {
        self.init(ScopeContext(own, in: parent, root: parent == nil ? bus?.handler.rules : nil), of: bus)
    }

    /// Creates a scope below the first of these that exists: the task's innermost scope, the task's bus, the root bus.
    @usableFromInline
    convenience init(ambient name: String, handler: ErrorHandler, order: Order, metadata: [String: String]) {
        let ambience = Ambience.current
        let bus = ambience.bus ?? (ambience.scope == nil ? ErrorBus.root : nil)
        self.init(.init(name, handler, order, metadata), in: ambience.scope?.context, of: bus)
    }

    /// This scope or, if it was created without a bus, a copy of it below the task's bus or the root bus.
    ///
    /// If there is still no bus, it is this scope.
    @usableFromInline var rooted: ErrorScope {
        guard bus == nil, let found = ErrorBus.current ?? ErrorBus.root else { return self }
        return ErrorScope(context.below(found.handler.rules), of: found)
    }

    /// The scope's own name.
    public var name: String { context.own.name }

    /// The names of the enclosing scopes and of this scope, outermost first.
    ///
    /// - Complexity: O(depth); O(1) after an action or an observer has received a report of the scope.
    public var path: [String] { context.path }

    /// Adds metadata to every later post in this scope and in scopes below it, from any task.
    ///
    /// Use it for facts that are known only after the scope was created, like a logger's `logger[metadataKey:]`:
    ///
    /// ```swift
    /// await withErrorScope("checkout") { scope in
    ///     let order = try await parse(request)
    ///     // Later posts contain it, including posts of tasks that were started earlier.
    ///     scope.annotate("order", with: order.id)
    ///     …
    /// }
    /// ```
    ///
    /// Each post reads the annotations that exist when it is made. For the same key, an annotation replaces the scope's
    /// own metadata. In turn, the metadata of scopes below, of the metadata provider, and of the post replace the
    /// annotation. If a body throws an error through this scope, the error is posted outside the scope, without this
    /// metadata. So annotate the scope of the code that posts the error.
    ///
    /// - Parameters:
    ///   - key: The key in the reports' metadata.
    ///   - value: The value; a later value for the same key replaces it.
    /// - Complexity: O(number of keys). After the first annotation in the process, a post through any scope also takes
    ///   O(depth). If scopes on its path are annotated, it also takes O(number of keys) and the lock of each of these
    ///   scopes.
    public func annotate(_ key: String, with value: String) { context.annotate(key, value) }

    /// Creates a scope within this scope.
    ///
    /// - Parameters:
    ///   - name: The scope's name in reports.
    ///   - handler: The scope's rules; none by default, for a scope that adds only a name and metadata.
    ///   - order: Whether the scope's rules are tried before or after the rules of the enclosing scopes and the bus.
    ///   - metadata: Metadata for the scope's reports; it takes precedence over the metadata of the enclosing scopes.
    /// - Returns: The new scope.
    /// - Complexity: O(1), in time and memory. The first report that is posted through the scope takes O(depth),
    ///   because the scope's rules are then compiled and combined with the rules around them, which are shared.
    public func scope(
        _ name: String, handler: ErrorHandler = .init(), order: Order = .innermostFirst,
        metadata: [String: String] = [:]
    ) -> ErrorScope { ErrorScope(.init(name, handler, order, metadata), in: context, of: bus) }

    /// Explains how the rules of the whole path would handle an error, rule by rule, without running actions.
    ///
    /// It works like ``ErrorHandler/explain(_:)``, but each entry also names the scope of its rule.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order of evaluation.
    /// - Complexity: O(number of rules × depth), because each entry names the path of its rule's scope.
    public func explain(_ error: any Error) -> Explanation {
        let scope = rooted
        let reason = scope.bus == nil ? AmbientErrorPosting.noBus : nil
        var explanation = Explanation(error, on: scope.context.rules(namingScopes: true), unreachableBecause: reason)
        explanation.details = scope.bus?.detailsTable
        return explanation
    }

    /// Explains how the rules of the whole path would handle an error that isn't available.
    ///
    /// See `ErrorHandler.explain(_:isMatched:)`; each entry also names the scope of its rule.
    package func explain(_ error: any Error, isMatched: (MatcherShape) -> Bool?) -> Explanation {
        Explanation(error, on: rooted.context.rules(namingScopes: true)) { isMatched($0.shape) }
    }
}

extension ErrorScope {
    /// Calls a closure with every report of this scope and of scopes below it; see ``ErrorBus/observe(_:onEnd:)``.
    ///
    /// If there is no bus, the observation ends immediately.
    ///
    /// - Parameters:
    ///   - receive: Called with each report.
    ///   - onEnd: Called exactly once, after the last report, with the bus's statistics at that time.
    /// - Returns: The observation, which ends when it is deallocated.
    public func observe(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (ErrorBus.Statistics) -> Void = { _ in }
    ) -> ErrorObservation {
        let scope = rooted
        return ErrorObservation(ReportObserver(of: scope.context, receive, onEnd: onEnd), of: scope.bus)
    }

    /// Opens a stream of the reports of this scope and of scopes below it; see ``ErrorBus/reports(bufferingNewest:)``.
    ///
    /// - Parameter limit: The number of reports that the stream buffers for a slow reader; at least 1.
    /// - Returns: The stream of reports; if the scope has no bus, the stream has already ended.
    public func reports(bufferingNewest limit: Int = 256) -> AsyncStream<ErrorReport> {
        ObserverBuffer.reports(limit, of: self)
    }

    /// Opens a stream of the reports of this scope and of scopes below it whose errors a matcher matches.
    ///
    /// See ``ErrorBus/reports(matching:bufferingNewest:)``.
    ///
    /// - Parameters:
    ///   - matcher: The matcher of the errors to observe.
    ///   - limit: The number of reports that the stream buffers for a slow reader; at least 1.
    /// - Returns: The stream of outputs and reports; if the scope has no bus, the stream has already ended.
    public func reports<Output>(
        matching matcher: ErrorMatcher<Output>, bufferingNewest limit: Int = 256
    ) -> AsyncStream<(output: Output, report: ErrorReport)> {
        ObserverBuffer.reports(matching: matcher, limit, of: self)
    }
}

extension ErrorBus {
    /// Creates a scope: a named part of the program with its own rules.
    ///
    /// - Parameters:
    ///   - name: The scope's name in reports.
    ///   - handler: The scope's rules; none by default, for a scope that adds only a name and metadata.
    ///   - order: Whether the scope's rules are tried before or after the bus's rules.
    ///   - metadata: Metadata for the scope's reports.
    /// - Returns: The new scope.
    /// - Complexity: O(1); the bus's compiled rules are shared, and the scope's rules are compiled for its first
    ///   report.
    public func scope(
        _ name: String, handler: ErrorHandler = .init(), order: ErrorScope.Order = .innermostFirst,
        metadata: [String: String] = [:]
    ) -> ErrorScope { ErrorScope(.init(name, handler, order, metadata), in: nil, of: self) }
}

extension ErrorScope: CustomStringConvertible {
    /// The scope on one line, as in `error scope shop/checkout`: the names of the enclosing scopes and of this scope.
    ///
    /// The path is escaped, truncated, and, if it isn't one word, quoted, as in the lines of a last resort.
    public var description: String { "error scope \(OneLine.bare(path.joined(separator: "/")))" }
}
