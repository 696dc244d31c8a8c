import Synchronization

/// The part of a scope that its reports retain: the path's names, metadata, and rules.
///
/// It doesn't retain the bus. The bus retains its pending reports, so otherwise a bus discarded with pending reports
/// would never be deallocated.
///
/// A context stores its own name, metadata, and rules, and the context around it, so that creating one costs the same
/// at any depth. The values for the whole path are computed once, when a report first needs them.
///
/// Unchecked because of `parent`, which changes only in `deinit`.
@safe final class ScopeContext: @unchecked Sendable {
    /// A scope's own values, without those of the scopes around it.
    struct Own {
        let name: String
        let rules: RuleSet
        /// Whether the rules are tried before or after those around the scope.
        let isTriedFirst: Bool
        let metadata: [String: String]
    }

    let own: Own
    private var parent: ScopeContext?
    /// The rules of the bus; set only in the outermost scope.
    private let root: RuleSet?
    /// The context that this is a copy of; set if the original was created without a bus and this copy is below one.
    private let original: ScopeContext?
    private let summary = SetOnce<Summary>()
    /// The metadata added later; set only in an annotated scope.
    private let annotations = SetOnce<Locked<[String: String]>>()
    private let blockPath = SetOnce<BlockPath>()

    /// - Parameters:
    ///   - own: The scope's own values.
    ///   - parent: The scope around it, below the same bus.
    ///   - root: The rules of the bus; nil if there is no bus.
    ///   - original: The context to copy, if this is a copy.
    init(_ own: Own, in parent: ScopeContext?, root: RuleSet?, copying original: ScopeContext? = nil) {
        self.own = own
        self.parent = parent
        self.root = parent == nil ? root : nil
        self.original = original
    }

    deinit {
        // Release them one by one: deallocating scopes nested many thousands deep would otherwise recurse as deep.
        var next = parent.take()
        while isKnownUniquelyReferenced(&next) { next = next?.parent.take() }
    }

    /// The names of the scopes around this one and its own, outermost first.
    var path: [String] { summary.value?.path ?? outwards.map(\.own.name).reversed() }

    /// The path and metadata for reports; computed at the first report and shared by all reports of the scope.
    var forReports: Summary { summary.value ?? firstSummary() }

    @inline(never)
    private func firstSummary() -> Summary { summary.set(Summary(of: outwards)).object }

    /// The blocks of the path: those of its scopes and of the bus.
    ///
    /// They aren't retained; they live as long as this context.
    @inline(__always)
    var blocks: Borrowed<BlockPath> { blockPath.borrowed ?? firstBlocks() }

    /// Creates the path and stores it unless another thread has stored one by then; returns the stored one.
    @inline(never)
    private func firstBlocks() -> Borrowed<BlockPath> {
        // A scope without rules shares the path of those around it.
        if own.rules.isEmpty, let parent {
            let shared = parent.outwards.first { !$0.own.rules.isEmpty || $0.parent == nil } ?? parent
            return blockPath.set(shared.blocks.object)
        }
        var (members, root): ([BlockPath.Member], RuleSet?) = ([], nil)
        for scope in outwards {
            root = scope.root ?? root
            if scope.own.rules.isEmpty { continue }
            members.append(.init(rules: scope.own.rules, isTriedFirst: scope.own.isTriedFirst))
        }
        // Use the bus's own path if no scope adds rules to it.
        if members.isEmpty, let root { return blockPath.set(root.path.object) }
        if let root { members.append(.init(rules: root)) }
        return blockPath.set(.make(members))
    }

    // MARK: Annotations

    /// Whether any scope of the process was annotated; if so, posts look for annotations on their path.
    ///
    /// It is stored with release and read with acquire: a post after an annotation finds the annotation.
    private static let isAnyAnnotated = Atomic<Bool>(false)

    @inline(__always)
    static var hasAnnotations: Bool { isAnyAnnotated.load(ordering: .acquiring) }

    /// Adds metadata to later posts in this scope and in scopes below it; copies below a bus share it.
    func annotate(_ key: String, _ value: String) {
        let annotations = owner.annotations.value ?? owner.annotations.set(Locked([:])).object
        annotations.withLock { $0[key] = value }
        Self.isAnyAnnotated.store(true, ordering: .releasing)
    }

    /// The context that has the annotations.
    private var owner: ScopeContext { original ?? self }

    /// Returns a post's metadata on top of the path's annotations.
    @inline(never)
    func annotated(_ metadata: [String: String]) -> [String: String] {
        guard outwards.contains(where: { $0.owner.annotations.borrowed != nil }) else { return metadata }
        var (metadata, inner) = (metadata, Set<String>())
        for scope in outwards {
            if let annotations = scope.owner.annotations.value?.withLock({ $0 }) {
                for (key, value) in annotations where !inner.contains(key) && metadata[key] == nil {
                    metadata[key] = value
                }
            }
            // An inner scope's initial metadata takes precedence over annotations of outer scopes.
            inner.formUnion(scope.own.metadata.keys)
        }
        return metadata
    }

    /// Whether this scope is the given one or lies within it.
    ///
    /// - Complexity: O(depth).
    func isWithin(_ scope: ScopeContext) -> Bool {
        let wanted = scope.owner
        return outwards.contains { $0.owner === wanted }
    }

    /// This scope and those around it, innermost first.
    var outwards: UnfoldFirstSequence<ScopeContext> { sequence(first: self) { $0.parent } }

    /// Returns a copy of this scope and of those around it below the rules of a bus; the originals were created without
    /// one.
    func below(_ root: RuleSet) -> ScopeContext {
        // Use a loop from the outside in: a recursion could overflow the stack.
        outwards.reversed().reduce(nil as ScopeContext?) { parent, scope in
            ScopeContext(scope.own, in: parent, root: root, copying: scope)
        } ?? self
    }

    /// The path and metadata of a scope's reports.
    final class Summary: Sendable {
        /// The names of the scopes around it and its own, outermost first.
        let path: [String]
        /// The metadata of the scopes around it, with its own on top.
        let metadata: [String: String]

        fileprivate init(of scopes: some Sequence<ScopeContext>) {
            var names: [String] = []
            var metadata: [String: String] = [:]
            for scope in scopes {
                names.append(scope.own.name)
                // Assign and don't merge: the metadata of a single scope is then shared and not copied.
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

        /// Returns the metadata with a caller's on top.
        func metadata(with own: [String: String]) -> [String: String] {
            if metadata.isEmpty { return own }
            return own.isEmpty ? metadata : metadata.merging(own) { _, own in own }
        }
    }
}
