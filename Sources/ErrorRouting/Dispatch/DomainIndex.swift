import Foundation

/// The rules for one `NSError` domain, by code.
final class CodeIndex: StepIndex, @unchecked Sendable {
    /// The domain.
    fileprivate let domain: String
    /// The steps of the rules for every code, for codes that no rule names.
    private let anyCode: RuleSteps
    /// The address of each code's steps, by code; nil if no rule names a code.
    private let byCode: ProbeTable?
    /// Retains the steps whose addresses are in the table.
    private let lists: [RuleSteps]

    /// - Parameters:
    ///   - rules: The rules in order, all of which require one domain, with a code or without one; at least one.
    ///   - others: The steps for all errors of the type.
    ///   - isOfObjects: Whether errors are `NSError` objects: then a rule that requires no more is certain to match.
    init(_ rules: [DomainIndex.Entry], among others: [RuleStep], isOfObjects: Bool) {
        domain = rules[0].domain
        var (forEvery, forOne) = (others, [Int: [RuleStep]]())
        for rule in rules {
            let step = rule.step.judged(isCertain: isOfObjects && rule.step.shape.isPlain)
            if let code = rule.code { forOne[code, default: []].append(step) } else { forEvery.append(step) }
        }
        anyCode = RuleSteps.make(forEvery)
        let table = forOne.isEmpty ? nil : ProbeTable(room: forOne.count)
        lists = forOne.map { code, steps in
            let list = RuleSteps.make(forEvery + steps)
            table?.insert(Borrowed(list).address, for: UInt(bitPattern: code))
            return list
        }
        byCode = table
    }

    deinit { byCode?.deallocate() }

    /// Bridges the error only if a rule names a code.
    override func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: inout LazyReport
    ) -> RuleStepList? {
        byCode == nil ? anyCode.list : steps(code: report.ask(error) { $0.nsError().code })
    }

    fileprivate func steps(code: Int) -> RuleStepList {
        let found = unsafe Borrowed<RuleSteps>(at: byCode?.find(UInt(bitPattern: code)) ?? 0)
        return found?.read { $0.list } ?? anyCode.list
    }
}

/// The rules that require an `NSError` domain, by domain, for `NSError` objects.
///
/// A few domains are compared one by one; more are found by hash.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class DomainIndex: StepIndex, @unchecked Sendable {
    typealias Entry = (step: RuleStep, domain: String, code: Int?)

    /// The largest number of domains that are compared without a hash.
    private static let fewDomains = 4

    private let owned: [CodeIndex]
    /// The same objects as in `owned`, which a look-up reads without retaining them.
    private let domains: UnsafeMutablePointer<Borrowed<CodeIndex>>
    /// Each domain's place plus one, by the domain's hash; nil for a few domains.
    private let table: ProbeTable?

    /// - Parameters:
    ///   - rules: The rules in order, each of which requires a domain.
    ///   - others: The steps for all errors of the type.
    init(_ rules: [Entry], among others: [RuleStep]) {
        let owned = Dictionary(grouping: rules) { $0.domain }.values.map {
            CodeIndex($0, among: others, isOfObjects: true)
        }
        let domains = UnsafeMutablePointer<Borrowed<CodeIndex>>.allocate(capacity: owned.count)
        let table = owned.count > Self.fewDomains ? ProbeTable(room: owned.count) : nil
        for (place, domain) in owned.enumerated() {
            unsafe (domains + place).initialize(to: Borrowed(domain))
            table?.insert(UInt(place + 1), for: UInt(bitPattern: domain.domain.hashValue))
        }
        self.owned = owned
        unsafe self.domains = unsafe domains
        self.table = table
    }

    deinit {
        unsafe domains.deallocate()
        table?.deallocate()
    }

    override func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: inout LazyReport
    ) -> RuleStepList? {
        let error = unsafe BoxContent.content(content, as: NSError.self)
        // A subclass may override `domain` or `code` with user code, which may dispatch the error.
        let isPlain = type(of: error) == NSError.self
        let entry = isPlain ? nil : PerThread.enterMatcher()
        guard isPlain || entry != nil else { return nil }
        defer { if let entry { PerThread.leaveMatcher(entry) } }
        return steps(domain: error.domain, code: error.code)
    }

    private func steps(domain: String, code: Int) -> RuleStepList? {
        func isWanted(_ place: Int) -> Bool {
            unsafe domains[place].read { $0.domain == domain }
        }
        var place = 0
        if let table {
            let key = UInt(bitPattern: domain.hashValue)
            place = Int(bitPattern: table.find(key) { isWanted(Int(bitPattern: $0) - 1) }) - 1
            if place < 0 { return nil }
        } else {
            while place < owned.count, !isWanted(place) { place += 1 }
            if place == owned.count { return nil }
        }
        return unsafe domains[place].read { $0.steps(code: code) }
    }
}
