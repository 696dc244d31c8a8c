import Foundation

/// The remaining steps of one dispatch: those of the type's plan, and those that were looked up, merged by their order.
struct RuleStepCursor {
    private var fixed: RuleStepList
    private var values: RuleStepList
    private var domains: RuleStepList
    private var isMerging: Bool

    init(_ list: RuleStepList) {
        self.init(list, .none, .none)
    }

    /// Returns the place of a plan's first step for an error; leaves out the steps by the domain of a Swift type.
    ///
    /// Makes no cursor if the plan looks nothing up, as most do not.
    ///
    /// - Returns: The place, nil if there is none; and the end of the list that it is in, nil if other lists have steps.
    @inline(__always)
    static func first<Content: Error>(
        of plan: Unmanaged<TypePlan>, for content: Content
    ) -> (place: UnsafePointer<RuleStep>?, end: UnsafePointer<RuleStep>?) {
        let (steps, looksUp) = unsafe plan._withUnsafeGuaranteedRef { ($0.fixed, $0.looksUp) }
        if looksUp { return unsafe firstLookedUp(of: plan, for: content) }
        return unsafe steps.isEmpty ? (nil, nil) : (steps.next, steps.end)
    }

    @inline(never)
    private static func firstLookedUp<Content: Error>(
        of plan: Unmanaged<TypePlan>, for content: Content
    ) -> (place: UnsafePointer<RuleStep>?, end: UnsafePointer<RuleStep>?) {
        let cursor = unsafe RuleStepCursor(plan, for: content)
        return unsafe (cursor.first, cursor.isMerging ? nil : cursor.fixed.end)
    }

    /// Makes a cursor over a plan's steps for an error, without those by the domain of a Swift type.
    @inline(__always)
    init<Content: Error>(_ plan: Unmanaged<TypePlan>, for content: Content) {
        let (steps, index, domains) = unsafe plan._withUnsafeGuaranteedRef { unsafe ($0.fixed, $0.values, $0.domains) }
        let found = unsafe index == nil ? .none : Self.steps(in: index!, for: content)
        self.init(steps, found, unsafe domains == nil ? .none : Self.steps(in: domains!, for: content))
    }

    /// Makes a cursor over three lists, which need not be merged if only one of them has steps.
    @inline(__always)
    private init(_ fixed: RuleStepList, _ values: RuleStepList, _ domains: RuleStepList) {
        let isOne = fixed.isEmpty && (values.isEmpty || domains.isEmpty)
        self.fixed = isOne ? (values.isEmpty ? domains : values) : fixed
        self.values = isOne ? .none : values
        self.domains = isOne ? .none : domains
        isMerging = !isOne && !(values.isEmpty && domains.isEmpty)
    }

    @inline(__always)
    private static func steps<Content: Error>(
        in index: Unmanaged<ValueIndex>, for content: Content
    ) -> RuleStepList {
        guard let entry = PerThread.enterMatcher() else { return .none }
        let found = unsafe index._withUnsafeGuaranteedRef { $0.steps(for: content) }
        PerThread.leaveMatcher(entry)
        return found
    }

    @inline(never)
    private static func steps<Content: Error>(
        in index: Unmanaged<DomainIndex>, for content: Content
    ) -> RuleStepList {
        let error = unsafe unsafeDowncast(unsafeBitCast(content, to: AnyObject.self), to: NSError.self)
        // A subclass may override `domain` or `code` with user code, which may dispatch the error.
        let isPlain = type(of: error) == NSError.self
        let entry = isPlain ? nil : PerThread.enterMatcher()
        guard isPlain || entry != nil else { return .none }
        let found = unsafe index._withUnsafeGuaranteedRef { $0.steps(domain: error.domain, code: error.code) }
        if let entry { PerThread.leaveMatcher(entry) }
        return found
    }

    /// Adds the steps by the domain of a Swift type; its plan has none by the domain of `NSError` objects.
    mutating func add(_ steps: Unmanaged<DomainSteps>, for subject: inout ErrorSubject) {
        let found = unsafe steps._withUnsafeGuaranteedRef { $0.steps(for: &subject) }
        self = isMerging ? Self(fixed, values, found) : Self(fixed, .none, found)
    }

    /// The address of the next step; nil at the end.
    @inline(__always)
    var first: UnsafePointer<RuleStep>? {
        if isMerging { return unsafe firstMerged }
        return unsafe fixed.isEmpty ? nil : fixed.next
    }

    /// Advances past the next step.
    @inline(__always)
    mutating func removeFirst() {
        if isMerging { removeFirstMerged() } else { fixed.removeFirst() }
    }

    @inline(__always)
    mutating func next() -> UnsafePointer<RuleStep>? {
        guard let place = unsafe first else { return nil }
        removeFirst()
        return unsafe place
    }

    private var firstMerged: UnsafePointer<RuleStep>? {
        let first = min(fixed.order, values.order, domains.order)
        if first == .max { return nil }
        if fixed.order == first { return unsafe fixed.next }
        return unsafe values.order == first ? values.next : domains.next
    }

    private mutating func removeFirstMerged() {
        let first = min(fixed.order, values.order, domains.order)
        if fixed.order == first {
            fixed.removeFirst()
        } else if values.order == first {
            values.removeFirst()
        } else {
            domains.removeFirst()
        }
    }
}
