import ErrorRouting

extension Explanation {
    /// Whether a closure of the program was called: in a `predicate`, a `where`, or an `extracting`.
    ///
    /// Such a closure can read anything, for example the time. If none was called, the explanation depends only on the
    /// rules and on the type, value, domain, and code of the error and of its underlying errors. Another error for
    /// which all of these are equal has the same explanation. This property depends on the parts of matchers, not on
    /// their names.
    ///
    /// - Complexity: O(number of rules), on each access.
    var callsPredicates: Bool {
        let error = ErrorSubject(error)
        return shapesToEvaluate.contains { $0.callsClosure(of: error) }
    }

    /// Whether all errors of the error's type have this explanation.
    ///
    /// It is true if each tried rule matches either all of them or none, and no closure of the program was called.
    ///
    /// - Complexity: O(number of rules), on each access.
    var followsFromType: Bool {
        var error = ErrorSubject(error)
        return shapesToEvaluate.allSatisfy { shape in
            !shape.callsClosure(of: error) && error.likelihood(of: shape) != .maybe
        }
    }

    /// The shapes of the rules that were evaluated.
    private var shapesToEvaluate: [MatcherShape] {
        entries.compactMap { entry in
            if case .notReached = entry.verdict { return nil }
            return entry.stage == .rule ? entry.rule.shape : nil
        }
    }
}

extension MatcherShape {
    /// Returns whether evaluating the matcher might call one of the program's closures, for an error or (nil) for any
    /// error.
    fileprivate func callsClosure(of error: ErrorSubject?) -> Bool {
        var budget = Self.partLimit
        return callsClosure(of: error, &budget)
    }

    private func callsClosure(of error: ErrorSubject?, _ budget: inout Int) -> Bool {
        budget -= 1
        if budget < 0 { return true }
        func mayMatch(_ shape: MatcherShape) -> Bool {
            guard var error else { return true }
            return error.likelihood(of: shape) != .never
        }
        switch self {
        case .type, .any, .value, .nsError, .conforming: return false
        case .predicate: return true
        case .extracting: return mayMatch(self)
        case .narrowed(let inner): return mayMatch(inner) || inner.callsClosure(of: error, &budget)
        case .anywhere(let inner): return inner.callsClosure(of: nil, &budget)
        case .either(let parts), .both(let parts):
            for part in parts where part.callsClosure(of: error, &budget) { return true }
            return false
        case .not(let inner), .named(_, let inner), .cancellation(let inner):
            return inner.callsClosure(of: error, &budget)
        }
    }
}
