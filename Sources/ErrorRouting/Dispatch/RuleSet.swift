import Synchronization

/// The rules of one handler or map.
///
/// A value that refers to its last version: adding a rule, or another set on top, makes a version and shares the rest.
/// Dispatches read a version's ``BlockPath``, which is created on first use.
struct RuleSet: Sendable {
    /// Some of the stages.
    struct Stages: OptionSet, Sendable {
        let rawValue: UInt8

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ stage: RuleStage) { rawValue = 1 &<< UInt8(truncatingIfNeeded: stage.number) }
    }

    private var last: Version?

    var isEmpty: Bool { last == nil }

    /// Adds a rule.
    mutating func add(_ rule: Rule, to stage: RuleStage) { last = Version(rule, stage, on: last) }

    /// Adds another set's rules as if they had been registered after these.
    mutating func append(_ later: RuleSet) {
        guard let laterLast = later.last else { return }
        last = last.map { Version(laterLast, on: $0) } ?? laterLast
    }

    /// A stage's rules in the order of evaluation, last registered first.
    subscript(stage: RuleStage) -> [Rule] {
        defer { withExtendedLifetime(self) {} }
        return path.read { path in
            (0..<path.count).flatMap { number in path.block(number, stage).read { $0[stage].map(\.rule.object) } }
        }
    }

    /// The path of blocks for dispatches; not retained, and as long-lived as the set.
    @inline(__always)
    var path: Borrowed<BlockPath> { unsafe last?.path ?? Borrowed(BlockPath.empty) }
}

extension RuleSet {
    /// A rule on top of the version before it, or one set on top of another.
    ///
    /// The rules of a chain of versions are read in one block. A version that has been used, or on which two versions
    /// are made, such as a preset, ends the chain: its blocks are shared and not copied.
    ///
    /// Unchecked because of `previous`, which changes only in `deinit`.
    fileprivate final class Version: @unchecked Sendable {
        /// The rule; nil if this is one set on top of another.
        private let added: (rule: Rule, stage: RuleStage)?
        /// The version before this one in its chain.
        private var previous: Version?
        /// The number of rules in the chain up to this version.
        private let count: Int
        /// The path below the chain.
        private let below: BlockPath?
        /// Whether a version of this chain was made on top of this one.
        private let isContinued = Atomic(false)
        private let madePath = SetOnce<BlockPath>()

        init(_ rule: Rule, _ stage: RuleStage, on version: Version?) {
            added = (rule, stage)
            guard let version, version.madePath.borrowed == nil,
                !version.isContinued.exchange(true, ordering: .relaxed)
            else {
                (previous, count, below) = (nil, 1, version?.path.object)
                return
            }
            (previous, count, below) = (version, version.count + 1, version.below)
        }

        /// Puts the last version of a set on top of that of another.
        init(_ upper: Version, on lower: Version) {
            (added, previous, count, below) = (nil, nil, 0, nil)
            _ = upper.path.read { upper in lower.path.read { lower in madePath.set(.make(upper, on: lower)) } }
        }

        deinit {
            // Release version by version: releasing a chain of thousands would otherwise recurse as deep.
            var next = previous.take()
            while isKnownUniquelyReferenced(&next) { next = next?.previous.take() }
        }

        @inline(__always)
        var path: Borrowed<BlockPath> { madePath.borrowed ?? firstPath() }

        @inline(never)
        private func firstPath() -> Borrowed<BlockPath> {
            // Copy the blocks below that are no larger than what is above them. So a handler that is used after each
            // added rule has at most as many blocks as its number of rules has bits, and each rule was copied as often.
            var (count, copied) = (count, 0)
            while copied < below?.count ?? 0, let size = below?.block(copied, .rule).read({ $0.count }), size <= count {
                (count, copied) = (count + size, copied + 1)
            }
            let block = Block { body in
                forEachRule(body)
                for number in 0..<copied { below?.block(number, .rule).read { $0.forEachRule(body) } }
            }
            return madePath.set(.make(block, on: below, after: copied))
        }

        /// Calls a closure with each rule of the chain, last registered first.
        @inline(__always)
        private func forEachRule(_ body: (Rule, RuleStage) -> Void) {
            var next: Borrowed<Version>? = Borrowed(self)
            while let version = next {
                next = version.read { version in
                    if let (rule, stage) = version.added { body(rule, stage) }
                    return version.previous.map(Borrowed.init)
                }
            }
        }
    }
}
