/// The rules of one handler or map.
///
/// A value that refers to the last node of a list: adding a rule, or another set on top, adds one node and shares the
/// rest. The first dispatch reads the list as it comes; the second makes an index of it.
struct RuleSet: Sendable {
    /// The lists of rules, in the order in which a dispatch goes through them.
    enum Stage: Int, Sendable, Hashable, CaseIterable {
        case rules, onNoMatch, always
    }

    /// Some of the stages.
    struct Stages: OptionSet, Sendable {
        let rawValue: UInt8

        static let onNoMatch = Stages(.onNoMatch)
        static let always = Stages(.always)

        init(rawValue: UInt8) { self.rawValue = rawValue }
        init(_ stage: Stage) { rawValue = 1 << stage.rawValue }
    }

    private var last: RuleNode?

    /// The stages that have rules.
    private(set) var stages: Stages = []

    var isEmpty: Bool { last == nil }

    /// Adds a rule, which must be in no set yet.
    mutating func add(_ rule: Rule, to stage: Stage) {
        rule.link(after: last, as: stage)
        last = rule
        stages.insert(Stages(stage))
    }

    /// Adds another set's rules as if they had been registered after these.
    mutating func append(_ later: RuleSet) {
        guard let laterLast = later.last else { return }
        if let last { self.last = RuleSetNode(laterLast, after: last) } else { last = laterLast }
        stages.formUnion(later.stages)
    }

    /// A stage's rules in the order in which they are tried: the last registered first.
    subscript(stage: Stage) -> [Rule] {
        var rules: [Rule] = []
        last?.forEachRule { rule, itsStage in if itsStage == stage { rules.append(rule) } }
        return rules
    }

    /// An unretained reference to a set, for callers that hold the set elsewhere and must not retain it to read it.
    ///
    /// Unchecked for the address, as the set itself is checked.
    @safe struct Reference: @unchecked Sendable {
        private let last: Unmanaged<RuleNode>?

        @inline(__always)
        fileprivate init(_ last: RuleNode?) { unsafe self.last = last.map { unsafe Unmanaged.passUnretained($0) } }

        /// The program, which lives as long as the set.
        @inline(__always)
        var program: Unmanaged<DispatchProgram> {
            unsafe last?._withUnsafeGuaranteedRef { unsafe $0.program }
                ?? Unmanaged.passUnretained(DispatchProgram.empty)
        }
    }

    /// An unretained reference to this set.
    @inline(__always)
    var reference: Reference { Reference(last) }
}

/// A link in the list of registrations: a rule, or all the rules of another set.
///
/// Unchecked for the links, which are set before a node is shared, and change only while the list is deallocated.
class RuleNode: @unchecked Sendable {
    private final var previous: RuleNode?
    /// The rule's stage; nil for the node of a set.
    private final var stage: RuleSet.Stage?
    /// The program for the rules up to this one, made at their first use.
    private final let made = SetOnce<DispatchProgram>()

    /// Links a new node to those before it.
    fileprivate final func link(after previous: RuleNode?, as stage: RuleSet.Stage?) {
        precondition(self.previous == nil && self.stage == nil, "a rule is in one set only")
        self.previous = previous
        self.stage = stage
    }

    deinit {
        // Node by node, since to release a list of thousands of rules, or thousands of sets on top of each other, would
        // otherwise recurse as deep.
        var sets: [RuleNode] = []
        var next = takeLinks(&sets) ?? sets.popLast()
        while next != nil {
            if isKnownUniquelyReferenced(&next) { next = next?.takeLinks(&sets) } else { next = nil }
            if next == nil { next = sets.popLast() }
        }
    }

    /// Takes the links of a node that is deallocated: returns the previous node, and adds a set's last one to `sets`.
    private func takeLinks(_ sets: inout [RuleNode]) -> RuleNode? {
        if let last = takeSet() { sets.append(last) }
        return previous.take()
    }

    /// Takes the last node of the set, if this is the node of a set.
    fileprivate func takeSet() -> RuleNode? { nil }

    // MARK: Reading the rules

    /// Calls a closure with each rule, from the last registered to the first.
    final func forEachRule(_ body: (Rule, RuleSet.Stage) -> Void) {
        var pending: [Unmanaged<RuleNode>] = unsafe []
        var next: Unmanaged<RuleNode>? = unsafe .passUnretained(self)
        while let node = unsafe next ?? pending.popLast() {
            unsafe next = unsafe node._withUnsafeGuaranteedRef { node in
                let previous = unsafe node.previous.map { unsafe Unmanaged.passUnretained($0) }
                guard let stage = node.stage else {
                    // The set counts as registered after the nodes before this one, so its rules come first.
                    if let previous = unsafe previous { unsafe pending.append(previous) }
                    let last = unsafe unsafeDowncast(node, to: RuleSetNode.self).last
                    return unsafe last.map { unsafe Unmanaged.passUnretained($0) }
                }
                unsafe body(unsafeDowncast(node, to: Rule.self), stage)
                return unsafe previous
            }
        }
    }

    /// The program for the rules up to this one, which lives as long as this node.
    @inline(__always)
    fileprivate final var program: Unmanaged<DispatchProgram> { unsafe made.unretained ?? madeProgram() }

    @inline(never)
    private final func madeProgram() -> Unmanaged<DispatchProgram> { unsafe made.set(DispatchProgram(of: self)) }
}

/// The node of a set that was added on top of others.
private final class RuleSetNode: RuleNode, @unchecked Sendable {
    /// The set's last node; nil only while the list is deallocated.
    private(set) var last: RuleNode?

    init(_ last: RuleNode, after previous: RuleNode) {
        self.last = last
        super.init()
        link(after: previous, as: nil)
    }

    override func takeSet() -> RuleNode? { last.take() }
}
