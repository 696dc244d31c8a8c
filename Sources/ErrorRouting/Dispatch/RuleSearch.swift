/// The search for the rules to try for one error, with the outcome so far; handlers and maps share it.
///
/// It contains only plain words, so that copying it is cheap. It doesn't retain rules or steps: the dispatch's caller
/// retains the rules, and the rules retain their steps.
struct RuleSearch: Sendable {
    /// The current stage.
    private(set) var stage = RuleStage.rule
    /// The number of the current block of the path, in the order of this stage.
    private var block = 0
    /// The steps of this block that haven't been returned; nil before they are looked up.
    ///
    /// They are stored while an action suspends, because another lookup would call the error's `==` again.
    private var rest: RuleStepList?
    /// Whether the remaining rules of this stage are skipped.
    private(set) var isStageOver = false
    private(set) var matchedRuleCount = 0
    /// The rule that the outcome names: the rule that stopped the search or, if none did, the last match; nil if no rule
    /// matched.
    private(set) var decisive: Borrowed<Rule>?
    /// Whether rules and `onNoMatch` are skipped, so that the error counts as ignored.
    private let isAttempt: Bool

    /// Creates a search; if the error was posted as an attempt, only `always` actions run for it.
    @inline(__always)
    init(isAttempt: Bool = false) {
        self.isAttempt = isAttempt
        if isAttempt { stage = .always }
    }

    /// The error's disposition so far.
    @inline(__always)
    var decision: Decision {
        guard let decisive else { return isAttempt ? .ignored : .unmatched }
        return decisive.read { $0.traits.stop?.decision } ?? .handled
    }

    /// Removes and returns the next step to try; nil if no step remains.
    @inline(__always)
    mutating func next<Content: Error>(
        for content: Content, _ error: UnboxedError, on path: BlockPath, _ reporter: inout DispatchReporter
    ) -> RuleStep? {
        if path.count == 0 { return nil }
        while true {
            if !isStageOver {
                var steps = rest ?? path.block(block, stage).read { $0.list(for: content, error, stage, &reporter) }
                if let step = steps.next(for: error, of: Content.self) {
                    rest = steps
                    return step
                }
            }
            guard advance(on: path) else { return nil }
        }
    }

    /// The step that ``next(for:_:on:_:)`` returned last; the search must not have advanced since then.
    var step: RuleStep {
        guard let rest else { preconditionFailure("no step was returned") }
        return rest.lastRemoved
    }

    /// Records the result of a rule's action in this stage; nil if the rule didn't match.
    @inline(__always)
    mutating func record(_ strategy: HandleStrategy?, of rule: Borrowed<Rule>) {
        guard let strategy else { return }
        if strategy == .stop { isStageOver = true }
        guard stage == .rule else { return }
        matchedRuleCount += 1
        decisive = rule
    }

    /// Advances to the next block of the path and returns true, or returns false if the dispatch is complete.
    ///
    /// After the last block, or if the stage is over, this method advances to the first block of the next stage.
    @inline(__always)
    mutating func advance(on path: BlockPath) -> Bool {
        rest = nil
        if !isStageOver, block + 1 < path.count {
            block &+= 1
            return true
        }
        if stage == .rule, matchedRuleCount == 0, path.hasRules(.onNoMatch) {
            stage = .onNoMatch
        } else if stage != .always, path.hasRules(.always) {
            stage = .always
        } else {
            return false
        }
        (block, isStageOver) = (0, false)
        return true
    }
}
