import ErrorRouting
import Testing

/// A row of a table: a matcher, an error, and whether the matcher must match the error.
struct MatchCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let isMatch: Bool
    private let answer: @Sendable () -> Bool

    init<Output>(
        _ name: String, _ matcher: ErrorMatcher<Output>, matches isMatch: Bool = true, _ error: any Error
    ) {
        testDescription = name
        self.isMatch = isMatch
        answer = { matcher.match(error) != nil }
    }

    /// A row for a matcher that must not match.
    static func not<Output>(_ name: String, _ matcher: ErrorMatcher<Output>, _ error: any Error) -> Self {
        Self(name, matcher, matches: false, error)
    }

    func check() { #expect(answer() == isMatch, "\(testDescription)") }
}
