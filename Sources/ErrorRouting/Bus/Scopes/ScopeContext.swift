/// What a report keeps of its scope: the names on the way, the metadata, and the rules.
///
/// Without the bus, which holds reports: if they held it, a bus that is let go of with reports pending would not end.
///
/// A context keeps what is its own, and the one around it, so that what it costs does not depend on how deep it lies.
/// What is needed of the whole way is put together once, for those alone that something is posted through.
///
/// Unchecked for `parent`, which changes once, at the end of its life, and for `ruledOuter`, which lives as long as
/// this, since `parent` leads there.
@safe final class ScopeContext: @unchecked Sendable {
    private let name: String
    /// Its own, without what it inherits.
    private let metadata: [String: String]
    private var parent: ScopeContext?
    private let rules: RuleSet
    private let order: ErrorScope.Order
    /// The rules of the bus; only in the outermost scope that adds any to them, where a path begins.
    private let root: RuleSet?
    /// Whether the scope adds rules to those of a bus.
    private let addsRules: Bool
    /// The innermost of the scopes around it that does.
    private let ruledOuter: Unmanaged<ScopeContext>?
    /// The one that this is a copy of, below a bus that that was made without.
    private let original: ScopeContext?
    private let summary = SetOnce<Summary>()
    private let handlerPath = SetOnce<HandlerPath>()

    /// - Parameters:
    ///   - name: The scope's.
    ///   - parent: The scope around it, below the same bus.
    ///   - root: The rules of the bus; nil where there is none.
    ///   - rules: The scope's own.
    ///   - order: Where those stand.
    ///   - metadata: The scope's own.
    ///   - original: The one that this shall be a copy of.
    init(
        _ name: String,
        in parent: ScopeContext?,
        root: RuleSet?,
        rules: RuleSet,
        order: ErrorScope.Order,
        metadata: [String: String],
        copying original: ScopeContext? = nil
    ) {
        self.original = original
        self.name = name
        self.metadata = metadata
        self.rules = rules
        self.order = order
        // Without rules of its own it goes the way of what is around it.
        addsRules = root != nil && !rules.isEmpty
        let ruledOuter = unsafe parent?.ruled
        unsafe self.ruledOuter = ruledOuter
        self.root = unsafe addsRules && ruledOuter == nil ? root : nil
        self.parent = parent
    }

    deinit {
        // One by one, since scopes that nest many thousands deep would otherwise end in as deep a recursion.
        var next = parent.take()
        while isKnownUniquelyReferenced(&next) { next = next?.parent.take() }
    }

    /// The names of the scopes around this one and its own, the outermost first.
    var path: [String] { summary.value?.path ?? outwards.map(\.name).reversed() }

    /// What reports get of it.
    ///
    /// Made at the first report: the reports of a scope share it.
    var forReports: Summary { summary.value ?? firstSummary() }

    @inline(never)
    private func firstSummary() -> Summary { unsafe summary.set(Summary(of: outwards)).takeUnretainedValue() }

    /// The rules on the way; nil where they are those of the bus alone.
    ///
    /// Nothing is retained: what it refers to lives as long as this context.
    @inline(__always)
    var handlers: HandlerPath.Steps? {
        if addsRules { return ownHandlers }
        return unsafe ruledOuter?._withUnsafeGuaranteedRef { $0.ownHandlers }
    }

    private var ownHandlers: HandlerPath.Steps {
        if let path = unsafe handlerPath.unretained {
            return unsafe path._withUnsafeGuaranteedRef { $0.steps }
        }
        return firstHandlers()
    }

    /// The innermost scope from here outwards that adds rules.
    private var ruled: Unmanaged<ScopeContext>? {
        unsafe addsRules ? Unmanaged.passUnretained(self) : ruledOuter
    }

    /// Puts the path together, unless somebody else has done so meanwhile: the first one's counts.
    @inline(never)
    private func firstHandlers() -> HandlerPath.Steps {
        var members: [HandlerPath.Member] = []
        members.reserveCapacity(4)
        var next = unsafe ruled
        while let scope = unsafe next?.takeUnretainedValue() {
            members.append(.init(rules: scope.rules, isTriedFirst: scope.order == .innermostFirst))
            if let root = scope.root { members.append(.init(rules: root, isTriedFirst: true)) }
            unsafe next = scope.ruledOuter
        }
        return unsafe handlerPath.set(HandlerPath(members))._withUnsafeGuaranteedRef { $0.steps }
    }

    /// Whether this is a scope, or lies within it.
    ///
    /// - Complexity: O(depth).
    func isWithin(_ scope: ScopeContext) -> Bool {
        let wanted = scope.original ?? scope
        return outwards.contains { ($0.original ?? $0) === wanted }
    }

    /// This scope, and those around it.
    private var outwards: UnfoldFirstSequence<ScopeContext> { sequence(first: self) { $0.parent } }

    /// The same, below the rules of a bus that it was made without.
    func below(_ root: RuleSet) -> ScopeContext {
        // From the outside in, without a recursion.
        outwards.reversed().reduce(nil as ScopeContext?) { parent, scope in
            ScopeContext(
                scope.name,
                in: parent,
                root: root,
                rules: scope.rules,
                order: scope.order,
                metadata: scope.metadata,
                copying: scope
            )
        } ?? self
    }

    /// For explanations: the rules on the way, each with the path of its scope.
    func explained(root: RuleSet?) -> Explanation.Path {
        var path = Explanation.Path()
        var names = self.path
        for scope in outwards {
            if !scope.rules.isEmpty { path.add(scope.rules, of: names, isTriedFirst: scope.order == .innermostFirst) }
            names.removeLast()
        }
        if let root { path.add(root, of: [], isTriedFirst: true) }
        return path
    }

    /// What reports carry of a scope.
    final class Summary: Sendable {
        /// The names of the scopes around it and its own, the outermost first.
        let path: [String]
        /// The metadata of the scopes around it, with its own on top.
        let metadata: [String: String]

        fileprivate init(of scopes: some Sequence<ScopeContext>) {
            var names: [String] = []
            var metadata: [String: String] = [:]
            for scope in scopes {
                names.append(scope.name)
                // What a single scope gives is shared.
                if metadata.isEmpty {
                    metadata = scope.metadata
                } else if !scope.metadata.isEmpty {
                    metadata.merge(scope.metadata) { inner, _ in inner }
                }
            }
            names.reverse()
            path = names
            self.metadata = metadata
        }

        /// The metadata with a poster's on top.
        func metadata(with own: [String: String]) -> [String: String] {
            if metadata.isEmpty { return own }
            return own.isEmpty ? metadata : metadata.merging(own) { _, own in own }
        }
    }
}
