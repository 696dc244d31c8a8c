extension ErrorHandler {
    /// Explains how the handler would handle an error, rule by rule.
    ///
    /// Predicates run; actions do not. Only the results of `ignore` and `expecting` are known. So for each match after the
    /// first one, the explanation says that it runs if it is reached.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation {
        Explanation(error, on: [.init(rules: rules)])
    }

    /// Explains what the handler would do with an error if only its names are known; runs no user code.
    ///
    /// The names decide each rule that compares a type, a domain, or a code. A rule that compares a value, calls a
    /// predicate, or checks a protocol is ``Explanation/Verdict/undecided``. Two types with the same name count as one
    /// type. A rule for a class with another name is undecided, because the error's class might inherit from it.
    ///
    /// - Parameter names: The names of the error.
    /// - Returns: One entry for each rule, in the order in which they are tried. The description has the type's name
    ///   instead of the error.
    /// - Complexity: O(number of rules × number of underlying errors).
    package func explain(named names: ErrorNames) -> Explanation {
        Explanation(named: names, on: [.init(rules: rules)])
    }
}
