import Foundation

/// What a type of error says about a list of rules.
struct TypeReach {
    /// Whether an error of the type may match an asynchronous rule, reached or not.
    var mayBeAsynchronous = false
    /// Whether some rule matches every error of the type, whatever the error's domain.
    var alwaysMatches = false
}

extension RuleStepList {
    /// Whether a rule that errors of a type may match has to ask its matcher.
    ///
    /// - Parameter type: The static type of a box's content.
    @inline(__always)
    func asks(aboutErrorsOf type: Any.Type) -> Bool {
        var steps = self
        while !steps.isEmpty {
            let step = steps.first
            if step.match == .asked, step.requiredType == nil || step.requiredType == ObjectIdentifier(type) {
                return true
            }
            steps.removeFirst()
        }
        return false
    }

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
        let type = ObjectIdentifier(ErrorBox.contentType(of: error))
        var mayAsk = asksDomain
        forEach { step in
            if let required = step.requiredType, required != type { return }
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
    /// The steps that need no look-up, of rules that match by the type alone or that have to be asked.
    ///
    /// This and the next are read without retaining the objects that own them, which `kept` retains.
    private let fixed: RuleStepList
    /// The other steps; nil if there are none.
    private let lookUp: Borrowed<StepIndex>?
    private let kept: (fixed: RuleSteps, lookUp: StepIndex?)
    /// Whether the type is a class: then a content of that static type may be an object of a subclass.
    let isOfClass: Bool
    let reach: TypeReach

    /// - Parameters:
    ///   - rules: The rules in order.
    ///   - error: An error of the type.
    init(of rules: RuleStepList, for error: any Error) {
        let type = type(of: error)
        var (fixed, values, domains) = ([RuleStep](), [RuleStep](), [DomainIndex.Entry]())
        let (reach, domain) = rules.judge(error, asksDomain: true) { step, shape, verdict in
            // `NSError`s are compared one by one: on Linux their hash traps if the user info holds Swift errors.
            if let value = shape.requiredValue, !(Swift.type(of: value) is NSError.Type) {
                values.append(step)
            } else if let required = shape.requiredDomain {
                domains.append((step, required.domain, required.code))
            } else {
                fixed.append(step.judged(isCertain: verdict.isCertain))
            }
        }
        var lookUp = values.isEmpty ? nil : makeValueIndex(type, values)
        var others = lookUp == nil ? values : []
        if type is NSError.Type, !domains.isEmpty {
            lookUp = DomainIndex(domains)
        } else if lookUp == nil, domain != nil, !domains.isEmpty {
            lookUp = CodeIndex(domains, isOfObjects: false)
        } else {
            others += domains.map(\.step)
        }
        if !others.isEmpty {
            fixed += others.map { $0.judged(isCertain: false) }
            fixed.sort { $0.order < $1.order }
        }
        kept = (RuleSteps(fixed), lookUp)
        self.fixed = kept.fixed.list
        self.lookUp = lookUp.map(Borrowed.init)
        isOfClass = type is AnyClass
        self.reach = reach
    }

    /// Returns the steps for an error.
    @inline(__always)
    func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: inout LazyReport
    ) -> RuleStepCursor {
        guard let lookUp else { return RuleStepCursor(fixed) }
        return RuleStepCursor(fixed, lookUp.read { $0.steps(for: content, error, &report) })
    }
}

/// Steps that depend on more than an error's type: on its value, or on its code or domain.
///
/// Unchecked, since the compiler cannot check a class that has subclasses; all stored properties are constants.
class StepIndex: @unchecked Sendable {
    /// Returns the steps for an error in order; runs user code (`==`, `hash`, an error's code).
    ///
    /// - Precondition: The error is of the type that the index is for.
    func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: inout LazyReport
    ) -> RuleStepList {
        fatalError("\(type(of: self)) does not override \(#function)")
    }
}
