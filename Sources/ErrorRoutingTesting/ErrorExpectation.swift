import ErrorRouting
import Synchronization
import Testing

/// What a test said that it expects, for a body and all that it starts.
final class ErrorExpectation: Sendable {
    /// The expectations around this task, by the innermost of them.
    @TaskLocal static var innermost: ErrorExpectation?

    /// Where the report of an expected error says which expectation it was.
    static let metadataKey = "expected.at"

    private let matches: @Sendable (any Error) -> Bool
    private let matcher: String
    private let expectedCount: Int?
    private let sourceLocation: SourceLocation
    private let outer = ErrorExpectation.innermost
    private let count = Atomic<Int>(0)

    init<Output>(_ matcher: ErrorMatcher<Output>, count: Int?, at sourceLocation: SourceLocation) {
        matches = { matcher.match($0) != nil }
        self.matcher = matcher.description
        expectedCount = count
        self.sourceLocation = sourceLocation
        guard let watch = ErrorWatch.current else {
            let comment: Comment = "expectingErrors(matching:) is for tests with .failsOnUnexpectedErrors"
            Issue.record(comment, sourceLocation: sourceLocation)
            return
        }
        watch.add(self)
    }

    /// Where it stands: `IntakeTests/IntakeTests.swift:12`.
    var place: String { "\(sourceLocation.fileID):\(sourceLocation.line)" }

    /// Counts an error for the innermost expectation, from here outwards, that matches it; nil if none does.
    func taking(_ error: any Error) -> ErrorExpectation? {
        var next: ErrorExpectation? = self
        while let expectation = next {
            if expectation.matches(error) {
                expectation.count.add(1, ordering: .relaxed)
                return expectation
            }
            next = expectation.outer
        }
        return nil
    }

    /// Fails the test where the expectation stands, if it was not met.
    func recordIssue() {
        let found = count.load(ordering: .relaxed)
        if expectedCount.map({ found == $0 }) ?? (found > 0) { return }
        let expected = expectedCount.map { "\($0)" } ?? "at least 1"
        Issue.record("expected \(expected) of \(matcher), found \(found)", sourceLocation: sourceLocation)
    }
}
