import Foundation

/// The steps of one dispatch: those that the type alone gives, and those that were looked up, merged by their order.
struct RuleStepCursor {
    private var fixed: RuleStepList
    private var values = RuleStepList.none
    private var domains = RuleStepList.none
    private var isMerging = false

    init(_ list: RuleStepList) {
        fixed = list
    }

    /// The steps of a plan for an error of its type, but for those by the domain of a Swift type.
    @inline(__always)
    init<Content: Error>(_ plan: Unmanaged<TypePlan>, for content: Content) {
        let (steps, index, domains) = unsafe plan._withUnsafeGuaranteedRef { unsafe ($0.fixed, $0.values, $0.domains) }
        fixed = steps
        if let index = unsafe index { unsafe look(into: index, for: content) }
        if let domains = unsafe domains { unsafe look(into: domains, for: content) }
    }

    @inline(never)
    private mutating func look<Content: Error>(into index: Unmanaged<ValueIndex>, for content: Content) {
        guard let entry = PerThread.enterMatcher() else { return }
        let found = unsafe index._withUnsafeGuaranteedRef { $0.steps(for: content) }
        PerThread.leaveMatcher(entry)
        merge(values: found)
    }

    @inline(never)
    private mutating func look<Content: Error>(into index: Unmanaged<DomainIndex>, for content: Content) {
        let error = unsafe unsafeDowncast(unsafeBitCast(content, to: AnyObject.self), to: NSError.self)
        // A subclass may have a code that dispatches the error.
        let isPlain = type(of: error) == NSError.self
        let entry = isPlain ? nil : PerThread.enterMatcher()
        guard isPlain || entry != nil else { return }
        let found = unsafe index._withUnsafeGuaranteedRef { $0.steps(domain: error.domain, code: error.code) }
        if let entry { PerThread.leaveMatcher(entry) }
        merge(domains: found)
    }

    /// Adds the steps by the domain of a Swift type.
    mutating func add(_ steps: Unmanaged<DomainSteps>, for subject: inout ErrorSubject) {
        merge(domains: unsafe steps._withUnsafeGuaranteedRef { $0.steps(for: &subject) })
    }

    @inline(__always)
    private mutating func merge(values steps: RuleStepList) {
        if fixed.isEmpty { return fixed = steps }
        values = steps
        isMerging = true
    }

    @inline(__always)
    private mutating func merge(domains steps: RuleStepList) {
        if fixed.isEmpty, !isMerging { return fixed = steps }
        domains = steps
        isMerging = true
    }

    /// The next step, where it lies; nil at the end.
    @inline(__always)
    var first: UnsafePointer<RuleStep>? {
        if isMerging { return unsafe firstMerged }
        return unsafe fixed.isEmpty ? nil : fixed.next
    }

    /// Goes on behind the next step.
    @inline(__always)
    mutating func removeFirst() {
        if isMerging { removeFirstMerged() } else { fixed.removeFirst() }
    }

    mutating func next() -> RuleStep? {
        guard let step = unsafe first?.pointee else { return nil }
        removeFirst()
        return step
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
