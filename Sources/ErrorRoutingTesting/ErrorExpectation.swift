import ErrorRouting
import Synchronization
import Testing

/// A test's expectation, which applies to a body and to all tasks that the body starts.
final class ErrorExpectation: Sendable {
    /// The innermost expectation around this task.
    @TaskLocal static var innermost: ErrorExpectation?

    private let matches: @Sendable (any Error) -> Bool
    private let matcher: String
    private let role: ErrorReport.Role
    private let expectedCount: Int?
    private let sourceLocation: SourceLocation
    private let outer = ErrorExpectation.innermost
    private let count = Atomic<Int>(0)
    /// How many matching errors were posted with another role.
    private let countInOtherRoles = Atomic<Int>(0)

    init<Output>(
        _ matcher: ErrorMatcher<Output>, as role: ErrorReport.Role, count: Int?, at sourceLocation: SourceLocation
    ) {
        matches = { matcher.match($0) != nil }
        self.matcher = matcher.description
        self.role = role
        expectedCount = count
        self.sourceLocation = sourceLocation
        guard let watch = ErrorWatch.current else {
            let comment: Comment = "expectingErrors(matching:) is for tests with .failsOnUnexpectedErrors"
            Issue.record(comment, sourceLocation: sourceLocation)
            return
        }
        watch.add(self)
    }

    /// Counts an error for the innermost expectation that matches it and its role, starting with this expectation.
    ///
    /// The result is that expectation, or nil if none matches.
    func expectation(counting error: any Error, as role: ErrorReport.Role) -> ErrorExpectation? {
        var next: ErrorExpectation? = self
        while let expectation = next {
            if expectation.matches(error) {
                if expectation.role == role {
                    expectation.count.add(1, ordering: .relaxed)
                    return expectation
                }
                expectation.countInOtherRoles.add(1, ordering: .relaxed)
            }
            next = expectation.outer
        }
        return nil
    }

    /// Records an issue at the expectation's source location if the expectation wasn't met.
    func recordIssue() {
        let found = count.load(ordering: .relaxed)
        if expectedCount.map({ found == $0 }) ?? (found > 0) { return }
        let expected = expectedCount.map { "\($0)" } ?? "at least 1"
        let others = countInOtherRoles.load(ordering: .relaxed)
        let rest = others == 0 ? "" : ", and \(others) in another role than \(role)"
        Issue.record("expected \(expected) of \(matcher), found \(found)\(rest)", sourceLocation: sourceLocation)
    }
}
