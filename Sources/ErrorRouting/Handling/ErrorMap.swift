/// The rules of an error handler, answering a value: a status, a log level, an exit code, a metric label.
///
/// ```swift
/// let status = ErrorMap(default: 500)
///     .on(ValidationError.self, 422)
///     .on(.type(PaymentError.self)) { $0.isRetryable ? 503 : 402 }
/// response.status = status[error]
/// ```
///
/// Rules are tried last-registered first, as in an ``ErrorHandler``. A map is a value: every verb returns a new one.
public struct ErrorMap<Value: Sendable>: Sendable, CustomStringConvertible {
    private final class Entry: Sendable {
        let rule: RuleDescription
        let evaluate: @Sendable (inout ErrorSubject) -> Value?

        init(rule: RuleDescription, evaluate: @escaping @Sendable (inout ErrorSubject) -> Value?) {
            self.rule = rule
            self.evaluate = evaluate
        }
    }

    private let defaultValue: Value
    private var entries: [Entry] = []

    /// Makes a map that answers one value for every error.
    ///
    /// - Parameter defaultValue: The answer for errors that no rule matches.
    public init(default defaultValue: Value) {
        self.defaultValue = defaultValue
    }

    /// The value of the last-registered rule that matches the error; the default if none does.
    ///
    /// - Parameter error: The error to look up.
    public subscript(_ error: any Error) -> Value {
        var subject = ErrorSubject(error)
        for entry in entries.reversed() {
            if let value = entry.evaluate(&subject) { return value }
        }
        return defaultValue
    }

    /// The rules in the order in which they are tried, each with the place where it was registered.
    public var description: String {
        var lines = ["ErrorMap, in the order tried:"]
        for entry in entries.reversed() { lines.append("  \(lines.count). on \(entry.rule)") }
        lines.append("  default: \(ErrorText.oneLine(String(describing: defaultValue)))")
        return lines.joined(separator: "\n")
    }

    /// The one way in for every verb.
    func adding<Output>(
        _ matcher: ErrorMatcher<Output>,
        _ fileID: String,
        _ line: UInt,
        _ value: @escaping @Sendable (Output) -> Value
    ) -> Self {
        let match = matcher.evaluate
        let rule = RuleDescription(shape: matcher.shape, source: .init(fileID: fileID, line: line))
        var result = self
        result.entries.append(Entry(rule: rule) { subject in match(&subject).map(value) })
        return result
    }
}
