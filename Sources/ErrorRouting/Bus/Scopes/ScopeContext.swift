/// What a report keeps of its scope: the names on the way, the metadata, and the rules.
///
/// Without the bus, which holds reports: if they held it, a bus that is let go of with reports pending would not end.
final class ScopeContext: Sendable {
    /// The names of the scopes around this one and its own, the outermost first.
    let path: [String]
    /// What reports get along: the metadata of the scopes around this one, with its own on top.
    let metadata: [String: String]
    /// The rules on the way; nil where they are those of the bus alone.
    let handlers: HandlerPath?
    private let parent: ScopeContext?
    private let rules: RuleSet
    private let order: ErrorScope.Order

    /// - Parameters:
    ///   - name: The scope's.
    ///   - parent: The scope around it.
    ///   - root: The rules of the bus; nil where there is none.
    ///   - rules: The scope's own.
    ///   - order: Where those stand.
    ///   - metadata: The scope's own.
    init(
        _ name: String,
        in parent: ScopeContext?,
        root: RuleSet?,
        rules: RuleSet,
        order: ErrorScope.Order,
        metadata: [String: String]
    ) {
        path = (parent?.path ?? []) + [name]
        let inherited = parent?.metadata ?? [:]
        self.metadata = metadata.isEmpty ? inherited : inherited.merging(metadata) { _, own in own }
        self.parent = parent
        self.rules = rules
        self.order = order
        // Without rules of its own it goes the way of what is around it.
        if let root, !rules.isEmpty {
            let outer = parent?.handlers ?? HandlerPath(root)
            handlers = outer.adding(rules, isTriedFirst: order == .innermostFirst)
        } else {
            handlers = parent?.handlers
        }
    }

    /// The same, below the rules of a bus that it was made without.
    func below(_ root: RuleSet) -> ScopeContext {
        ScopeContext(
            path.last ?? "",
            in: parent?.below(root),
            root: root,
            rules: rules,
            order: order,
            // With what it inherits, which the parent gives once more.
            metadata: metadata
        )
    }

    /// For explanations: the rules on the way, each with the path of its scope.
    func explained(root: RuleSet?) -> Explanation.Path {
        var path = parent?.explained(root: root) ?? Explanation.Path(root.map { [([], $0)] } ?? [])
        path.add(rules, of: self.path, isTriedFirst: order == .innermostFirst)
        return path
    }
}
