import Foundation

extension Explanation {
    /// Whether a closure of the program's was asked of the error: that of a `predicate`, a `where` or an `extracting`.
    ///
    /// A closure may look at anything, say at the time. Where none was asked, the explanation follows from the rules
    /// and from the error's type, value, domain and code, and from those of the errors under it: another error that is
    /// equal in all of them has the same explanation. Known from what the matchers are made of, whatever they are named.
    package var asksPredicates: Bool {
        let subject = ErrorSubject(error)
        return entries.contains { entry in
            guard entry.stage == .rule else { return false }
            if case .notReached = entry.verdict { return false }
            return entry.rule.storage.shape.asksClosure(of: subject)
        }
    }

    /// Whether the explanation is that of all errors of the error's type: each rule that was asked matches all of them,
    /// or none, and no closure of the program's was asked.
    package var followsFromType: Bool {
        var subject = ErrorSubject(error)
        // All errors of one Swift type have one domain; an `NSError` object has one of its own.
        let domain = subject.isNSErrorObject ? nil : subject.bridgedIfAllowed()?.domain
        return !asksPredicates
            && entries.allSatisfy { entry in
                guard entry.stage == .rule else { return true }
                if case .notReached = entry.verdict { return true }
                let verdict = entry.rule.storage.shape.verdict(for: subject) { domain }
                return verdict == .never || verdict >= .always
            }
    }
}

extension MatcherShape {
    /// Whether asking the matcher of an error may call one of the closures that the program has written for it.
    fileprivate func asksClosure(of error: ErrorSubject) -> Bool {
        func mayMatch(_ shape: MatcherShape) -> Bool { shape.verdict(for: error) != .never }
        return switch self {
        case .type, .any, .value, .nsError, .conforming: false
        case .predicate: true
        case .extracting: mayMatch(self)
        case .narrowed(let inner): mayMatch(inner) || inner.asksClosure(of: error)
        case .anywhere(let inner): inner.hasClosure
        case .either(let first, let second), .both(let first, let second):
            first.asksClosure(of: error) || second.asksClosure(of: error)
        case .not(let inner), .named(_, let inner): inner.asksClosure(of: error)
        }
    }

    /// Whether the program has written a closure for any part of the matcher.
    private var hasClosure: Bool {
        switch self {
        case .type, .any, .value, .nsError, .conforming: false
        case .predicate, .extracting, .narrowed: true
        case .either(let first, let second), .both(let first, let second): first.hasClosure || second.hasClosure
        case .anywhere(let inner), .not(let inner), .named(_, let inner): inner.hasClosure
        }
    }
}
