import Synchronization

/// The part of a scope that its reports retain: the path's names, metadata, and rules.
///
/// It doesn't retain the bus. The bus retains its pending reports, so if a context retained the bus, a bus that is
/// discarded with pending reports would never be deallocated.
///
/// A context stores its own name, metadata, and rules, and a reference to the enclosing context, so that creating a
/// context costs the same at any depth. The values for the whole path are computed once, when a report first needs
/// them.
///
/// `@unchecked` because of `parent`, which changes only in `deinit`.
@safe final class ScopeContext: @unchecked Sendable {
    /// A scope's own values, without those of the enclosing scopes.
    struct Own {
        let name: String
        let rules: RuleSet
        /// Whether the rules are tried before the rules around the scope; if not, they are tried after them.
        let isTriedFirst: Bool
        let metadata: [String: String]

        init(_ name: String, _ handler: ErrorHandler, _ order: ErrorScope.Order, _ metadata: [String: String]) {
            (self.name, rules, self.metadata) = (name, handler.rules, metadata)
            isTriedFirst = order == .innermostFirst
        }
    }

    let own: Own
    private var parent: ScopeContext?
    /// The rules of the bus; set only in the outermost scope of the bus, or in a copy.
    private let root: RuleSet?
    /// The context that this context copies; nil unless this is a copy below a bus of a scope without a bus.
    private let original: ScopeContext?
    private let summary = SetOnce<Summary>()
    /// The metadata that was added later; nil unless the scope is annotated.
    private let annotations = SetOnce<Locked<[String: String]>>()
    private let blockPath = SetOnce<BlockPath>()

    /// Creates a context within an enclosing context.
    ///
    /// `root` contains the rules of the bus, if there is one and the enclosing context isn't below it.
    init(_ own: Own, in parent: ScopeContext?, root: RuleSet?, copying original: ScopeContext? = nil) {
        self.own = own
        self.parent = parent
        self.root = root
        self.original = original
    }

    deinit {
        // Release the scopes one by one: deallocating thousands of nested scopes recursively could overflow the stack.
        var next = parent.take()
        while isKnownUniquelyReferenced(&next) { next = next?.parent.take() }
    }

    /// The names of the enclosing scopes and of this scope, outermost first.
    var path: [String] { summary.value?.path ?? selfAndEnclosing.map(\.own.name).reversed() }

    /// The path and metadata for reports, computed for the first report and shared by all reports of the scope.
    var forReports: Summary { summary.value ?? firstSummary() }

    @inline(never)
    private func firstSummary() -> Summary { summary.set(Summary(of: selfAndEnclosing)).object }

    /// The blocks of the path, from its scopes and the bus; they aren't retained and live as long as this context.
    @inline(__always)
    var blocks: Borrowed<BlockPath> { blockPath.borrowed ?? firstBlocks() }

    /// Creates the path and stores it unless another thread has stored a path by then; returns the stored path.
    @inline(never)
    private func firstBlocks() -> Borrowed<BlockPath> {
        // Share the path of the nearest enclosing scope that adds rules if this scope adds none.
        if let adding = selfAndEnclosing.first(where: \.addsRules), adding !== self {
            return blockPath.set(adding.blocks.object)
        }
        let members = rules()
        // Use the rule set's own path if the path has only one: in most cases, no scope adds rules to the bus's rules.
        return blockPath.set(members.count == 1 ? members[0].rules.path.object : BlockPath(members))
    }

    private var addsRules: Bool { !own.rules.isEmpty || root != nil }

    /// Returns the rules of the scope, of the enclosing scopes, and of the bus, with the scopes' names if needed.
    func rules(namingScopes: Bool = false) -> [BlockPath.Member] {
        var (members, root): ([BlockPath.Member], RuleSet?) = ([], nil)
        for scope in selfAndEnclosing {
            root = scope.root ?? root
            if scope.own.rules.isEmpty { continue }
            let names = namingScopes ? scope.path : []
            members.append(.init(rules: scope.own.rules, isTriedFirst: scope.own.isTriedFirst, scope: names))
        }
        if let root { members.append(.init(rules: root)) }
        return members
    }

    // MARK: Annotations

    /// Whether any scope of the process was annotated; if so, posts look for annotations on their path.
    ///
    /// It is stored with release and read with acquire, so that a post after an annotation finds the annotation.
    private static let isAnyAnnotated = Atomic<Bool>(false)

    @inline(__always)
    static var hasAnnotations: Bool { isAnyAnnotated.load(ordering: .acquiring) }

    /// Adds metadata to later posts in this scope and in scopes below it; copies of the scope share it.
    func annotate(_ key: String, _ value: String) {
        let annotations = owner.annotations.value ?? owner.annotations.set(Locked([:])).object
        annotations.withLock { $0[key] = value }
        Self.isAnyAnnotated.store(true, ordering: .releasing)
    }

    /// The context that owns the annotations.
    private var owner: ScopeContext { original ?? self }

    /// Merges the path's annotations and a post's metadata; the post's values take precedence.
    @inline(never)
    func annotated(_ metadata: [String: String]) -> [String: String] {
        guard selfAndEnclosing.contains(where: { $0.owner.annotations.borrowed != nil }) else { return metadata }
        var (metadata, inner) = (metadata, Set<String>())
        for scope in selfAndEnclosing {
            if let annotations = scope.owner.annotations.value?.withLock({ $0 }) {
                for (key, value) in annotations where !inner.contains(key) && metadata[key] == nil {
                    metadata[key] = value
                }
            }
            // Skip these keys in outer scopes: an inner scope's initial metadata takes precedence over their
            // annotations.
            inner.formUnion(scope.own.metadata.keys)
        }
        return metadata
    }

    /// Whether this scope is a given scope or lies within it.
    ///
    /// - Complexity: O(depth).
    func isWithin(_ scope: ScopeContext) -> Bool {
        let wanted = scope.owner
        return selfAndEnclosing.contains { $0.owner === wanted }
    }

    /// This scope and the enclosing scopes, innermost first.
    var selfAndEnclosing: UnfoldFirstSequence<ScopeContext> { sequence(first: self) { $0.parent } }

    /// Copies this scope, which was created without a bus, and adds a bus's rules to its path.
    func below(_ root: RuleSet) -> ScopeContext { ScopeContext(own, in: parent, root: root, copying: self) }

    /// The path and metadata of a scope's reports.
    final class Summary: Sendable {
        /// The names of the enclosing scopes and of this scope, outermost first.
        let path: [String]
        /// The metadata of the enclosing scopes and of this scope; this scope's values take precedence.
        let metadata: [String: String]

        fileprivate init(of scopes: some Sequence<ScopeContext>) {
            var names: [String] = []
            var metadata: [String: String] = [:]
            for scope in scopes {
                names.append(scope.own.name)
                // Assign the first metadata instead of merging it, so that the metadata of a single scope is shared,
                // not copied.
                if metadata.isEmpty {
                    metadata = scope.own.metadata
                } else if !scope.own.metadata.isEmpty {
                    metadata.merge(scope.own.metadata) { inner, _ in inner }
                }
            }
            names.reverse()
            path = names
            self.metadata = metadata
        }

        /// Returns this metadata and a caller's metadata; the caller's values take precedence.
        func metadata(with own: [String: String]) -> [String: String] {
            if metadata.isEmpty { return own }
            return own.isEmpty ? metadata : metadata.merging(own) { _, own in own }
        }
    }
}
