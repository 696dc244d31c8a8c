/// A named part of the program with rules of its own, below a bus or another scope.
///
/// What is posted through a scope is delivered by its bus, in its turn, and goes through the rules of the whole path:
///
/// ```swift
/// let checkout = bus.scope("checkout", handler: ErrorHandler().on(CardDeclined.self) { … })
/// checkout.post(CardDeclined())                     // the checkout's rules first, then the bus's
/// await checkout.bound { … postError(error) … }     // the same, without handing anything around
/// ```
///
/// A scope is handler concatenation and nothing else: as if the rules of the path were registered in one handler. Only
/// `onNoMatch` goes by its own order: it runs if nothing on the whole path matched, the innermost first. What an action
/// throws goes the path of its report; what it posts is posted in no scope, unless it does so through one. (A rule that
/// holds the scope it belongs to keeps it for ever: hold it weakly.)
///
/// A scope lives as long as someone holds it, or a report is posted through it; it keeps its bus, and costs nothing as
/// long as nobody posts. Making one for each request is meant to be normal.
@safe public final class ErrorScope: ErrorPosting {
    /// Where a scope's rules stand among those around it.
    public enum Order: Sendable, Hashable, CaseIterable {
        /// The scope's rules are tried before those around it.
        case innermostFirst
        /// The scope's rules are tried after those around it: top-down, without a list of exceptions above.
        case rootFirst
    }

    /// The scope of this task, as far as it belongs to ``ErrorBus/current``.
    @TaskLocal static var bound: ErrorScope?

    /// Nil where there was no bus: then errors go to the one that there is when they are posted, else to standard
    /// error.
    @usableFromInline let bus: ErrorBus?
    /// The bus without a way over the reference that counts, which all posters would write to.
    let unretainedBus: Unmanaged<ErrorBus>?
    let context: ScopeContext

    init(
        _ name: String,
        in parent: ScopeContext?,
        of bus: ErrorBus?,
        handler: ErrorHandler,
        order: Order,
        metadata: [String: String]
    ) {
        self.bus = bus
        unsafe unretainedBus = bus.map { unsafe Unmanaged.passUnretained($0) }
        context = ScopeContext(
            name,
            in: parent,
            root: bus?.handler.rules,
            rules: handler.rules,
            order: order,
            metadata: metadata
        )
    }

    /// A scope within the innermost one of the task, else in its bus, else in the process's root bus.
    @usableFromInline
    convenience init(ambient name: String, handler: ErrorHandler, order: Order, metadata: [String: String]) {
        let parent = ErrorScope.innermost
        self.init(
            name,
            in: parent?.context,
            of: parent == nil ? ErrorBus.current ?? ErrorBus.root : parent?.bus,
            handler: handler,
            order: order,
            metadata: metadata
        )
    }

    /// The same scope, below a bus that it was made without.
    private init(_ context: ScopeContext, of bus: ErrorBus) {
        self.bus = bus
        unsafe unretainedBus = Unmanaged.passUnretained(bus)
        self.context = context
    }

    /// This scope; where it was made without a bus, below the one that there is now: the task's, else the root.
    @usableFromInline var rooted: ErrorScope {
        guard bus == nil, let found = ErrorBus.current ?? ErrorBus.root else { return self }
        return ErrorScope(context.below(found.handler.rules), of: found)
    }

    /// The names of the scopes around this one and its own, the outermost first.
    ///
    /// - Complexity: O(depth); O(1) once an action or an observer has got a report of the scope.
    public var path: [String] { context.path }

    /// Makes a scope within this one.
    ///
    /// - Parameters:
    ///   - name: What reports call it.
    ///   - handler: Its rules; none by default, for a name and metadata alone.
    ///   - order: Whether its rules are tried before those around it or after them.
    ///   - metadata: What its reports get along, on top of what the scopes around it give.
    /// - Returns: The scope.
    /// - Complexity: O(1), in time and memory. The first report that is posted through it takes O(depth): then its own
    ///   rules are compiled, and put behind those around it, which are shared.
    public func scope(
        _ name: String,
        handler: ErrorHandler = .init(),
        order: Order = .innermostFirst,
        metadata: [String: String] = [:]
    ) -> ErrorScope {
        ErrorScope(name, in: context, of: bus, handler: handler, order: order, metadata: metadata)
    }

    /// Says what the rules of the whole path would do with an error, rule by rule.
    ///
    /// As ``ErrorHandler/explain(_:)``; each entry says which scope its rule came from.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules × depth), since each entry says where its rule is from.
    public func explain(_ error: any Error) -> Explanation {
        let scope = rooted
        return Explanation(
            error,
            on: scope.context.explained(root: scope.bus?.handler.rules),
            unreachableBecause: scope.bus == nil ? AmbientErrorPosting.noBus : nil
        )
    }
}

extension ErrorBus {
    /// Makes a scope: a named part of the program with rules of its own.
    ///
    /// - Parameters:
    ///   - name: What reports call it.
    ///   - handler: Its rules; none by default, for a name and metadata alone.
    ///   - order: Whether its rules are tried before the bus's or after them.
    ///   - metadata: What its reports get along.
    /// - Returns: The scope.
    /// - Complexity: O(1); compiled rules are shared, and its own are compiled at its first report.
    public func scope(
        _ name: String,
        handler: ErrorHandler = .init(),
        order: ErrorScope.Order = .innermostFirst,
        metadata: [String: String] = [:]
    ) -> ErrorScope {
        ErrorScope(name, in: nil, of: self, handler: handler, order: order, metadata: metadata)
    }
}
