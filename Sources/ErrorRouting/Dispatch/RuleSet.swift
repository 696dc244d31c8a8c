import Synchronization

/// The rules of one handler or map.
///
/// A rule set is a value that refers to its last version. Adding a rule or another set creates a new version and shares
/// the existing rules. Dispatches read a version's ``BlockPath``, which is created on first use.
struct RuleSet: Sendable {
    /// The stages that contain rules, and the stages that contain asynchronous rules.
    struct Stages: OptionSet, Sendable {
        let rawValue: UInt8

        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Creates the set for a stage with a rule, or with an asynchronous rule.
        init(_ stage: RuleStage, isAsynchronous: Bool = false) {
            let bit: UInt8 =
                switch stage {
                case .rule: 1
                case .onNoMatch: 2
                case .always: 4
                }
            rawValue = isAsynchronous ? bit << 3 : bit
        }

        static let asynchronous = Stages(rawValue: 0b111_000)
    }

    /// A rule with its stage.
    struct Entry {
        let rule: Rule
        let stage: RuleStage
    }

    private var last: Version?

    var isEmpty: Bool { last == nil }

    /// Adds a rule.
    mutating func add(_ rule: Rule, to stage: RuleStage) { last = Version(rule, stage, on: last) }

    /// Adds another set's rules as if they had been registered after this set's rules.
    mutating func append(_ later: RuleSet) {
        guard let laterLast = later.last else { return }
        last = last.map { Version(laterLast, on: $0) } ?? laterLast
    }

    /// A stage's rules in the order of evaluation, last registered first.
    subscript(stage: RuleStage) -> [Rule] {
        defer { withExtendedLifetime(self) {} }
        return path.object.blocks.flatMap(\.rules).filter { $0.stage == stage }.map(\.rule)
    }

    /// The path of blocks for dispatches; it isn't retained and lives as long as the set.
    @inline(__always)
    var path: Borrowed<BlockPath> { last?.path ?? Borrowed(BlockPath.empty) }
}

extension RuleSet {
    /// A rule added to the previous version, or a set added to another set.
    ///
    /// The rules of a chain of versions are read in one block. A chain ends at a version that was already used, and at
    /// a version on which two versions are built, such as a preset. The blocks of such a version are shared instead of
    /// copied.
    ///
    /// `@unchecked` because of `previous`, which changes only in `deinit`.
    fileprivate final class Version: @unchecked Sendable {
        /// The rule; nil if this version is a set added to another set.
        private let added: Entry?
        /// The previous version in this version's chain.
        private var previous: Version?
        /// The number of rules in the chain up to this version.
        private let count: Int
        /// The path of the rules that were registered before the chain's rules.
        private let below: BlockPath?
        /// Whether another version of this chain was built on this version.
        private let isContinued = Atomic(false)
        private let madePath = SetOnce<BlockPath>()

        init(_ rule: Rule, _ stage: RuleStage, on version: Version?) {
            added = Entry(rule: rule, stage: stage)
            guard let version, version.madePath.borrowed == nil,
                !version.isContinued.exchange(true, ordering: .relaxed)
            else {
                (previous, count, below) = (nil, 1, version?.path.object)
                return
            }
            (previous, count, below) = (version, version.count + 1, version.below)
        }

        /// Adds the rules of one set's last version to those of another set's last version.
        init(_ upper: Version, on lower: Version) {
            (added, previous, count, below) = (nil, nil, 0, nil)
            _ = madePath.set(BlockPath(upper.path.object, on: lower.path.object))
        }

        deinit {
            // Release version by version: releasing a chain of thousands of versions recursively could overflow the
            // stack.
            var next = previous.take()
            while isKnownUniquelyReferenced(&next) { next = next?.previous.take() }
        }

        @inline(__always)
        var path: Borrowed<BlockPath> { madePath.borrowed ?? firstPath() }

        @inline(never)
        private func firstPath() -> Borrowed<BlockPath> {
            var blocks = CollectionOfOne(Block(rules)) + (below?.blocks ?? [])
            // Merge the lower blocks that aren't larger than the rules above them. If a handler is used after each
            // added rule, this limits both the number of blocks and how often each rule is copied to the number of
            // bits in the rule count.
            while blocks.count > 1, blocks[1].rules.count <= blocks[0].rules.count { blocks.merge(0) }
            return madePath.set(BlockPath(blocks))
        }

        /// The rules of the chain, last registered first.
        private var rules: [Entry] {
            var rules: [Entry] = []
            rules.reserveCapacity(count)
            for version in sequence(first: self, next: { $0.previous }) {
                if let added = version.added { rules.append(added) }
            }
            return rules
        }
    }
}
