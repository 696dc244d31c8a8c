/// Rules like an error handler's, but they return a value: a status, a log level, an exit code, a metric label.
///
/// ```swift
/// let status = ErrorMap(default: 500)
///     .on(ValidationError.self, 422)
///     .on(matching: .type(PaymentError.self)) { $0.isRetryable ? 503 : 402 }
/// response.status = status[error]
/// ```
///
/// The last registered rule is tried first, as in an ``ErrorHandler``. A map is a value: every method returns a new
/// map.
public struct ErrorMap<Value: Sendable>: Sendable, CustomStringConvertible {
    private let defaultValue: Value
    private var rules = RuleSet()

    /// Creates a map that returns the same value for every error, until rules are added.
    ///
    /// - Parameter defaultValue: The value for errors that no rule matches.
    public init(default defaultValue: Value) {
        self.defaultValue = defaultValue
    }

    /// Creates a map that returns nil for errors that no rule matches.
    public init<Wrapped>() where Value == Wrapped? { self.init(default: nil) }

    /// Whether the map has no rules.
    var isEmpty: Bool { rules.isEmpty }

    /// The value of the first rule that matches the error; if no rule matches, the default.
    ///
    /// - Parameter error: The error to look up.
    /// - Complexity: The same as ``ErrorHandler/handle(_:fileID:line:)`` without actions.
    public subscript(_ error: any Error) -> Value {
        defer { withExtendedLifetime(rules) {} }
        var value = defaultValue
        _ = rules.path.find(error, &value)
        return value
    }

    /// Returns the value of the first rule that matches the error, together with that rule.
    ///
    /// - Parameter error: The error to look up.
    /// - Returns: The value and its rule; nil if no rule matches.
    /// - Complexity: The same as ``ErrorHandler/handle(_:fileID:line:)`` without actions.
    public func match(_ error: any Error) -> (value: Value, rule: RuleDescription)? {
        defer { withExtendedLifetime(rules) {} }
        var value = defaultValue
        guard let rule = rules.path.find(error, &value) else { return nil }
        return (value, rule.read { $0.description })
    }

    /// Returns this map with another map's rules added.
    ///
    /// - Parameter overlay: The map to add. Its rules count as registered later, so they are tried first. Its default
    ///   isn't used.
    /// - Returns: A map with the rules of both maps and the default of this map.
    /// - Complexity: O(number of overlaid maps), because the rules are shared. If neither map has been used before, it
    ///   also takes O(number of rules).
    public func overlaid(with overlay: Self) -> Self {
        var result = self
        result.rules.append(overlay.rules)
        return result
    }

    /// Returns a map with the same rules and transformed values.
    ///
    /// Use it to give each layer its part of one table: `meanings.map(\.status)`. Rules keep their source locations, so
    /// ``explain(_:)`` still names the line of the table that decides.
    ///
    /// - Parameter transform: Converts a value. It is called now for the default and each constant, and on every lookup
    ///   for a value that a rule's closure computes.
    /// - Returns: The derived map.
    /// - Complexity: O(number of rules). Derive a map once, not for each error.
    public func map<NewValue: Sendable>(_ transform: @escaping @Sendable (Value) -> NewValue) -> ErrorMap<NewValue> {
        rules[.rule].reversed().reduce(ErrorMap<NewValue>(default: transform(defaultValue))) { result, rule in
            guard let rule = rule as? MapRule<Value> else {
                preconditionFailure("a map contains only map rules")
            }
            return result.adding(rule.mapped(transform))
        }
    }

    /// Explains which rule provides the value for an error, rule by rule.
    ///
    /// It calls predicates, but not the closures that compute values.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation {
        Explanation(error, on: [.init(rules: rules)], endsAtMatch: true)
    }

    /// The rules in the order in which they are tried, each with its source location.
    public var description: String {
        var lines = ["ErrorMap, in the order tried:"]
        for rule in rules[.rule] { lines.append("  \(lines.count). on \(rule.description)") }
        lines.append("  default: \(ErrorText.text(of: defaultValue))")
        return lines.joined(separator: "\n")
    }

    /// Returns this map with a rule added; every method that adds a rule calls this.
    func adding(_ rule: MapRule<Value>) -> Self {
        var result = self
        result.rules.add(rule, to: .rule)
        return result
    }
}

extension ErrorMap where Value: Error {
    /// Runs an operation and converts the error that it throws to this layer's error type.
    ///
    /// The map's rules are tried first. If no rule matches, an error that already has this layer's type, `Value`, is
    /// rethrown unchanged, and any other error is replaced with the default. A cancellation remains a cancellation only
    /// if a rule returns a value that is a ``CancellationConvertible``:
    ///
    /// ```swift
    /// static let level = ErrorMap(default: CheckoutError.unavailable)
    ///     .on(matching: .cancellation, .cancelled)
    ///     .on(CardDeclined.self) { .declined(code: $0.code) }
    ///
    /// func pay(_ cart: Cart) async throws(CheckoutError) -> Receipt {
    ///     try await Self.level.throwing { try await bank.charge(cart) }
    /// }
    /// ```
    ///
    /// - Parameter operation: The operation to run. It keeps the caller's isolation.
    /// - Returns: The operation's result.
    /// - Throws: The map's value for the error that the operation throws.
    public func throwing<T>(_ operation: () async throws -> T) async throws(Value) -> T {
        do { return try await operation() } catch { throw level(of: error) }
    }

    /// Runs a synchronous operation and converts the error that it throws; see ``throwing(_:)``.
    public func throwing<T>(_ operation: () throws -> T) throws(Value) -> T {
        do { return try operation() } catch { throw level(of: error) }
    }

    private func level(of error: any Error) -> Value {
        match(error)?.value ?? ErrorMatcher.type(Value.self).match(error) ?? defaultValue
    }
}

extension ErrorReport {
    /// Returns how much the report matters, using a map of severities.
    ///
    /// For a failure, the first matching rule of the map decides. If the map returns nil, or if the report isn't a
    /// failure, ``severity`` is used.
    ///
    /// ```swift
    /// let severities = ErrorMap<ErrorReport.Severity?>().on(matching: .status(404), .info)
    /// logger.log(level: .init(rawValue: report.severity(by: severities).rawValue) ?? .error, "\(report.message)")
    /// ```
    ///
    /// Use a rule with the value nil to keep the severity of certain errors: `.on(Late.self, nil)` leaves errors of
    /// that type to ``severity``. To use a table with values that aren't optional, convert it: `table.map { $0 }`. Its
    /// default then applies to every failure.
    ///
    /// - Parameter map: The severities of errors; nil for errors that keep their severity.
    /// - Returns: The severity from the map, or ``severity``.
    /// - Complexity: The same as a lookup in the map.
    public func severity(by map: ErrorMap<Severity?>) -> Severity {
        guard role == .failure else { return severity }
        return map[error] ?? severity
    }
}
