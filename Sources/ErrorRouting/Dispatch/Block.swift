/// An immutable run of a set's rules, shared by all handlers and scopes that contain it, with a plan for each type of
/// error that it has met.
///
/// A small block is read linearly, and makes no plan, where each rule is compared with the error's type, value or domain:
/// most handlers that are made for one error add a rule or two to a preset. Where a matcher would have to be asked for
/// each error, as one for a protocol, it makes a plan too, because asking once costs as much. Retains no rules: the rule
/// with which it begins retains this.
///
/// Unchecked for the lists, whose memory does not change.
@safe final class Block: @unchecked Sendable {
    /// The largest number of rules that are read linearly.
    static let smallCount = 4

    /// The rule or set with which the next block begins; nil if this is the last.
    let below: Borrowed<RuleNode>?
    /// The stages that have rules, and those that have asynchronous ones.
    let (stages, asynchronousStages): (RuleSet.Stages, RuleSet.Stages)
    private let (rules, onNoMatch, always): (RuleStepList, RuleStepList, RuleStepList)
    /// Owns the memory of the lists.
    private let memory: RuleSteps
    /// The number of rules in all stages.
    private let count: Int
    /// Whether the rules are so few that they are read linearly, unless one of them has to ask its matcher.
    private let isSmall: Bool
    /// Whether any rule has to ask its matcher.
    private let asks: Bool
    private let plans = TypeTable<TypePlan>()

    /// - Parameter top: The rule with which the block begins.
    init(from top: RuleNode) {
        let end = top.endOfBlock
        var (counts, stages, asynchronousStages) = (SIMD4<Int>(), RuleSet.Stages(), RuleSet.Stages())
        var asks = false
        top.forEachRule(before: end) { rule, stage in
            counts[stage.rawValue] += 1
            stages.insert(.init(stage))
            if rule.traits.isAsynchronous { asynchronousStages.insert(.init(stage)) }
            if rule.match == .asked { asks = true }
        }
        let starts = SIMD4(0, counts[0], counts[0] + counts[1], counts.wrappedSum())
        memory = RuleSteps.make(count: starts[3]) { put in
            var ends = starts
            top.forEachRule(before: end) { rule, stage in
                let place = ends[stage.rawValue]
                put(RuleStep(rule, order: place), place)
                ends[stage.rawValue] += 1
            }
        }
        (rules, onNoMatch, always) = (memory[0, starts[1]], memory[starts[1], starts[2]], memory[starts[2], starts[3]])
        isSmall = counts[0] <= Self.smallCount
        (count, below, self.asks) = (starts[3], end, asks)
        (self.stages, self.asynchronousStages) = (stages, asynchronousStages)
    }

    /// Whether this block's rules are better read together with some that were added later.
    ///
    /// A block is copied into one at least twice as large, so a handler that is used after each rule added to it has no
    /// more blocks than its number of rules has bits, and each of its rules is in as many.
    func isBetterRead(withLater laterCount: Int) -> Bool {
        count <= laterCount || !asks && laterCount + count <= Self.smallCount
    }

    /// All rules of a stage.
    subscript(stage: RuleSet.Stage) -> RuleStepList {
        switch stage {
        case .rules: rules
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
    ///   - notes: What the dispatch knows of the error.
    /// - Precondition: The error is in one box.
    @inline(__always)
    func list<Content: Error>(
        for content: Content, _ error: any Error, _ stage: RuleSet.Stage, _ notes: inout DispatchNotes
    ) -> RuleStepList {
        if stage != .rules { return self[stage] }
        if isReadLinearly(for: Content.self) { return rules }
        return plan(for: content, error).read { $0.steps(for: content, error, &notes) }
    }

    /// Whether the rules are read one after the other for errors of a type, the static type of a box's content.
    @inline(__always)
    private func isReadLinearly(for type: any Error.Type) -> Bool { isSmall && !(asks && mustAsk(aboutErrorsOf: type)) }

    @inline(never)
    private func mustAsk(aboutErrorsOf type: any Error.Type) -> Bool {
        rules.contains { $0.match == .asked && $0.isFor(type) }
    }

    /// Whether a plan was made for errors of a dynamic type; for tests.
    func hasPlan(for type: any Error.Type) -> Bool { plans[type] != nil }

    /// Returns the plan for an error's dynamic type.
    @inline(__always)
    private func plan<Content: Error>(for content: Content, _ error: any Error) -> Borrowed<TypePlan> {
        guard let plan = plans[Content.self] else { return planByDynamicType(of: error) }
        return plan.read { $0.isOfClass } ? planOfObject(content, error, plan) : plan
    }

    /// Returns the plan for an object, whose class may be a subclass of the content's static type.
    @inline(never)
    private func planOfObject<Content: Error>(
        _ content: Content, _ error: any Error, _ plan: Borrowed<TypePlan>
    ) -> Borrowed<TypePlan> {
        let type: AnyClass = Swift.type(of: unsafe BoxContent.content(content, as: AnyObject.self))
        return type == Content.self ? plan : planByDynamicType(of: error)
    }

    /// Returns the plan for an error whose type has none yet or is a subclass of its content's static type.
    @inline(never)
    private func planByDynamicType(of error: any Error) -> Borrowed<TypePlan> {
        assert(!ErrorBox.holdsBox(error))
        let type = type(of: error)
        if let plan = plans[type] { return plan }
        // Made outside the table's lock, since that runs user code; of two made at once, the table keeps the first.
        return plans.insert(TypePlan(of: rules, for: error), for: type)
    }

    /// What the type of an error says about the rules.
    ///
    /// - Precondition: The error is in one box.
    @inline(__always)
    func reach<Content: Error>(of content: Content, _ error: any Error) -> TypeReach {
        if !isReadLinearly(for: Content.self) { return plan(for: content, error).read { $0.reach } }
        var reach = TypeReach()
        for step in rules where step.isFor(Content.self) {
            if step.traits.isAsynchronous { reach.mayBeAsynchronous = true }
            if step.match == .certain { reach.alwaysMatches = true }
        }
        return reach
    }
}
