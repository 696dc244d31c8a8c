/// The rules of an error handler, returning a value: a status, a log level, an exit code, a metric label.
///
/// ```swift
/// let status = ErrorMap(default: 500)
///     .on(ValidationError.self, 422)
///     .on(matching: .type(PaymentError.self)) { $0.isRetryable ? 503 : 402 }
/// response.status = status[error]
/// ```
///
/// Rules are tried last-registered first, as in an ``ErrorHandler``. A map is a value: every verb returns a new one.
public struct ErrorMap<Value: Sendable>: Sendable, CustomStringConvertible {
    private let defaultValue: Value
    private var rules = RuleSet()

    /// Makes a map that returns one value for every error.
    ///
    /// - Parameter defaultValue: The value for errors that no rule matches.
    public init(default defaultValue: Value) {
        self.defaultValue = defaultValue
    }

    /// The value of the last-registered rule that matches the error; the default if none does.
    ///
    /// - Parameter error: The error to look up.
    /// - Complexity: That of ``ErrorHandler/handle(_:fileID:line:)``, however many rules there are.
    public subscript(_ error: any Error) -> Value {
        var value = defaultValue
        _ = rules.find(error, &value)
        return value
    }

    /// Returns the value of the last-registered rule that matches the error, and which rule that is.
    ///
    /// - Parameter error: The error to look up.
    /// - Returns: The value and its rule; nil if no rule matches.
    /// - Complexity: That of ``ErrorHandler/handle(_:fileID:line:)``, however many rules there are.
    public func match(_ error: any Error) -> (value: Value, rule: RuleDescription)? {
        defer { withExtendedLifetime(rules) {} }
        var value = defaultValue
        guard let rule = rules.find(error, &value) else { return nil }
        return (value, rule.read { $0.registration.description })
    }

    /// Returns this map with another one's rules on top.
    ///
    /// - Parameter overlay: Its rules count as registered later: they go first. Its default is not used.
    /// - Returns: A map with the rules of both, and the default of this one.
    /// - Complexity: O(1): the rules are shared, and compiled when the map is first used.
    public func overlaid(with overlay: Self) -> Self {
        var result = self
        result.rules.append(overlay.rules)
        return result
    }

    /// Returns a map with the same rules, whose values are made from those of this one.
    ///
    /// So one table of what errors mean serves each layer with its part: `meanings.map(\.status)`. The rules keep their
    /// places, so that ``explain(_:)`` names the line of the table that decides.
    ///
    /// - Parameter transform: Makes a value from one of this map's. Called now for the default and for each constant,
    ///   and at each look-up for a value that a rule's closure makes.
    /// - Returns: The map.
    /// - Complexity: O(number of rules): derive a map once, and not for each error.
    public func map<NewValue: Sendable>(_ transform: @escaping @Sendable (Value) -> NewValue) -> ErrorMap<NewValue> {
        rules[.rules].reversed().reduce(ErrorMap<NewValue>(default: transform(defaultValue))) { result, rule in
            guard let rule = rule as? MapRule<Value> else {
                preconditionFailure("a map has rules of its own alone")
            }
            return result.adding(rule.mapped(transform))
        }
    }

    /// Says which rule decides for an error, rule by rule.
    ///
    /// Predicates run; no closure that makes a value does.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation {
        var path = Explanation.Path(endsAtMatch: true)
        path.add(rules, of: [], isTriedFirst: true)
        return Explanation(error, on: path)
    }

    /// The rules in the order in which they are tried, each with the place where it was registered.
    public var description: String {
        var lines = ["ErrorMap, in the order tried:"]
        for rule in rules[.rules] { lines.append("  \(lines.count). on \(rule.registration.description)") }
        lines.append("  default: \(ErrorText.text(of: defaultValue))")
        return lines.joined(separator: "\n")
    }

    /// Returns this map with a rule added; every verb calls this.
    func adding(_ rule: MapRule<Value>) -> Self {
        var result = self
        result.rules.add(rule, to: .rules)
        return result
    }
}
