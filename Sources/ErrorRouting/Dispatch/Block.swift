/// An immutable run of a set's rules, shared by all handlers and scopes that contain it, with a plan for each error
/// type it has received.
///
/// A small block is read linearly and creates no plan if each of its rules only compares the error's type, value, or
/// domain. Most handlers created for one error add one or two rules to a preset. If a matcher would have to be called
/// for each error, such as one for a protocol, the block also creates a plan, because one call costs as much. A block
/// retains no rules; its first rule retains the block.
///
/// Unchecked because of the lists; their memory doesn't change.
@safe final class Block: @unchecked Sendable {
    /// The largest number of rules that are read linearly.
    static let smallCount = 4

    /// The rule or set that begins the next block; nil if this is the last block.
    let below: Borrowed<RuleNode>?
    /// The stages with rules and those with asynchronous rules.
    let (stages, asynchronousStages): (RuleSet.Stages, RuleSet.Stages)
    private let (rules, onNoMatch, always): (RuleStepList, RuleStepList, RuleStepList)
    /// The owner of the lists' memory.
    private let memory: RuleSteps
    /// The number of rules in all stages.
    private let count: Int
    /// Whether there are few enough rules to read them linearly, if none of them must call its matcher.
    private let isSmall: Bool
    /// Whether any rule must call its matcher.
    private let asks: Bool
    private let plans = TypeTable<TypePlan>()

    /// - Parameter top: The rule that begins the block.
    init(from top: RuleNode) {
        let end = top.endOfBlock
        var (counts, stages, asynchronousStages) = (SIMD4<Int>(), RuleSet.Stages(), RuleSet.Stages())
        var asks = false
        top.forEachRule(before: end) { rule, stage in
            counts[stage.number] += 1
            stages.insert(.init(stage))
            if rule.traits.isAsynchronous { asynchronousStages.insert(.init(stage)) }
            if rule.certainty == .asked { asks = true }
        }
        let starts = SIMD4(0, counts[0], counts[0] + counts[1], counts.wrappedSum())
        let memory = RuleSteps.make(count: starts[3])
        var ends = starts
        top.forEachRule(before: end) { rule, stage in
            let position = ends[stage.number]
            memory.initializeElement(at: position, to: RuleStep(rule, order: position))
            ends[stage.number] += 1
        }
        self.memory = memory
        (rules, onNoMatch, always) = (memory[0, starts[1]], memory[starts[1], starts[2]], memory[starts[2], starts[3]])
        isSmall = counts[0] <= Self.smallCount
        (count, below, self.asks) = (starts[3], end, asks)
        (self.stages, self.asynchronousStages) = (stages, asynchronousStages)
    }

    /// Whether this block's rules are better read together with later ones.
    ///
    /// A block is copied into one at least twice as large. Therefore a handler that is used after each added rule has
    /// at most as many blocks as its rule count has bits. Each of its rules is in at most that many blocks.
    func isBetterRead(withLater laterCount: Int) -> Bool {
        count <= laterCount || !asks && laterCount + count <= Self.smallCount
    }

    /// All rules of a stage.
    subscript(stage: RuleStage) -> RuleStepList {
        switch stage {
        case .rule: rules
        case .onNoMatch: onNoMatch
        case .always: always
        }
    }

    // MARK: The rules for an error

    /// Returns the list of the steps of a stage for an error.
    ///
    /// - Parameters:
    ///   - content: The content of the error's box.
    ///   - error: The error.
    ///   - stage: The stage.
    ///   - notes: The dispatch's notes on the error.
    @inline(__always)
    func list<Content: Error>(
        for content: Content, _ error: UnboxedError, _ stage: RuleStage, _ notes: inout DispatchNotes
    ) -> RuleStepList {
        if stage != .rule { return self[stage] }
        if isReadLinearly(for: Content.self) { return rules }
        guard let plan = plan(for: content, error) else { return rules }
        return plan.read { $0.steps(for: content, error, &notes) }
    }

    /// Whether the rules are read linearly for errors of a type, the static type of a box's content.
    @inline(__always)
    private func isReadLinearly(for type: any Error.Type) -> Bool { isSmall && !(asks && mustAsk(aboutErrorsOf: type)) }

    @inline(never)
    private func mustAsk(aboutErrorsOf type: any Error.Type) -> Bool {
        rules.contains { $0.certainty == .asked && $0.isFor(type) }
    }

    /// Whether there is a plan for errors of a dynamic type; for tests.
    func hasPlan(for type: any Error.Type) -> Bool { plans[type] != nil }

    /// Returns the plan for an error's dynamic type; nil if there is none and it can't be created now.
    @inline(__always)
    private func plan<Content: Error>(for content: Content, _ error: UnboxedError) -> Borrowed<TypePlan>? {
        guard let plan = plans[Content.self] else { return planByDynamicType(of: error) }
        if !plan.read({ $0.isOfClass }) { return plan }
        // An object might be of a subclass of the content's static type.
        return Swift.type(of: content) == Content.self ? plan : planByDynamicType(of: error)
    }

    /// Returns the plan for an error whose type has none yet or is a subclass of its content's static type.
    @inline(never)
    private func planByDynamicType(of error: UnboxedError) -> Borrowed<TypePlan>? {
        let type = type(of: error.error)
        if let plan = plans[type] { return plan }
        // At the limit, a plan would lack an index and the type's domain, and the table would keep it.
        if PerThread.isAtLimit { return nil }
        // Create it outside the table's lock: this runs user code. Of two plans created at once, the table keeps the
        // first.
        return plans.insert(TypePlan(of: rules, for: error), for: type)
    }

    /// Returns the facts about the rules that depend only on an error's type.
    @inline(__always)
    func reach<Content: Error>(of content: Content, _ error: UnboxedError) -> TypePlan.Reach {
        if !isReadLinearly(for: Content.self), let plan = plan(for: content, error) { return plan.read { $0.reach } }
        var reach = TypePlan.Reach()
        for step in rules where step.isFor(Content.self) {
            if step.traits.isAsynchronous { reach.mayBeAsynchronous = true }
            if step.certainty == .certain { reach.alwaysMatches = true }
        }
        return reach
    }
}
