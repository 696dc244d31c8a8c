import Foundation

/// What a type of error says about a list of rules.
struct TypeReach {
    /// Whether an error of the type may match an asynchronous rule, reached or not.
    var mayBeAsynchronous = false
    /// Whether some rule matches every error of the type, whatever the error's domain.
    var alwaysMatches = false
}

extension RuleStepList {
    /// Compares the rules with the type of an error.
    ///
    /// Apart from its type, the error is asked only for what all errors of the type have in common: conformances, and a
    /// Swift type's domain.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - asksDomain: Whether it is asked for the domain, which bridges it.
    ///   - body: Called with each rule that errors of the type may match, its shape, and what is known of the match.
    /// - Returns: What the type says of all rules; and its domain, if it has one and a rule asks for it.
    @discardableResult
    func judge(
        _ error: any Error, asksDomain: Bool = false, _ body: (RuleStep, MatcherShape, TypeVerdict) -> Void
    ) -> (reach: TypeReach, domain: String?) {
        var (reach, asked, domain) = (TypeReach(), nil as ErrorSubject?, nil as String?)
        let type = type(of: error)
        var mayAsk = asksDomain
        forEach { step in
            guard step.isFor(type) else { return }
            let shape = step.shape
            var (verdict, dependsOnDomain) = (TypeVerdict.certain, false)
            if step.match != .certain {
                var subject = asked ?? ErrorSubject(error)
                dependsOnDomain = shape.asksDomain
                if dependsOnDomain, mayAsk {
                    // An `NSError` object has a domain of its own; another has none if matchers recurse too deep.
                    domain = subject.isNSErrorObject ? nil : subject.bridgedIfAllowed()?.domain
                    mayAsk = false
                }
                verdict = shape.verdict(for: subject, domain: domain)
                asked = subject
            }
            guard verdict.mayMatch else { return }
            if step.traits.isAsynchronous { reach.mayBeAsynchronous = true }
            if !verdict.mayMiss, !dependsOnDomain { reach.alwaysMatches = true }
            body(step, shape, verdict)
        }
        return (reach, domain)
    }
}

/// The steps to try for errors of one dynamic type, and where to look up others: made for the first error of the type.
///
/// Unchecked, since the compiler cannot know that the memory of the steps does not change.
@safe final class TypePlan: @unchecked Sendable {
    /// The steps for errors that the index has none for, of rules that match by the type alone or that have to be asked.
    ///
    /// This and the next are read without retaining the objects that own them, which `kept` retains.
    private let others: RuleStepList
    /// Where the steps for an error are looked up; nil if they are the same for all errors of the type.
    private let index: Borrowed<StepIndex>?
    private let kept: (others: RuleSteps, index: StepIndex?)
    /// Whether the type is a class: then a content of that static type may be an object of a subclass.
    let isOfClass: Bool
    let reach: TypeReach

    /// - Parameters:
    ///   - rules: The rules in order.
    ///   - error: An error of the type.
    init(of rules: RuleStepList, for error: any Error) {
        let type = type(of: error)
        var (others, values, domains) = ([RuleStep](), [RuleStep](), [DomainIndex.Entry]())
        let (reach, domain) = rules.judge(error, asksDomain: true) { step, shape, verdict in
            // `NSError`s are compared one by one: on Linux their hash traps if the user info holds Swift errors.
            if let value = shape.requiredValue, !(Swift.type(of: value) is NSError.Type) {
                values.append(step)
            } else if let required = shape.requiredDomain {
                domains.append((step, required.domain, required.code))
            } else {
                others.append(step.judged(isCertain: verdict.isCertain))
            }
        }
        // Most types have neither.
        let index =
            values.isEmpty && domains.isEmpty ? nil : Self.makeIndex(of: type, domain, values, domains, &others)
        kept = (RuleSteps.make(others), index)
        self.others = kept.others.list
        self.index = index.map(Borrowed.init)
        isOfClass = type is AnyClass
        self.reach = reach
    }

    /// Returns the index for an error's value, domain or code, if there can be one; adds the rules that it is not for to
    /// `others`.
    private static func makeIndex(
        of type: any Error.Type, _ domain: String?, _ values: [RuleStep], _ domains: [DomainIndex.Entry],
        _ others: inout [RuleStep]
    ) -> StepIndex? {
        let byDomain = others + domains.map { $0.step.judged(isCertain: false) }
        if let index = makeValueIndex(type, values, among: byDomain) {
            others = byDomain
            return index
        }
        others += values.map { $0.judged(isCertain: false) }
        if !domains.isEmpty, type is NSError.Type { return DomainIndex(domains, among: others) }
        if !domains.isEmpty, domain != nil { return CodeIndex(domains, among: others, isOfObjects: false) }
        others += domains.map { $0.step.judged(isCertain: false) }
        return nil
    }

    /// Returns the steps for an error.
    @inline(__always)
    func steps<Content: Error>(for content: Content, _ error: any Error, _ report: inout LazyReport) -> RuleStepList {
        guard let index else { return others }
        return index.read { $0.steps(for: content, error, &report) } ?? others
    }
}

/// Steps that depend on more than an error's type: on its value, or on its code or domain.
///
/// Each list has the steps for all errors too, so that a dispatch reads one.
///
/// Unchecked, since the compiler cannot check a class that has subclasses; all stored properties are constants.
class StepIndex: @unchecked Sendable {
    /// Returns the steps for an error, or nil if it is like no rule's; runs user code (`==`, `hash`, an error's code).
    ///
    /// - Precondition: The error is of the type that the index is for.
    func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: inout LazyReport
    ) -> RuleStepList? {
        fatalError("\(type(of: self)) does not override \(#function)")
    }
}
