import ErrorRouting
import Synchronization
import Testing

/// An expectation of a test, for a body and all tasks that the body starts.
final class ErrorExpectation: Sendable {
    /// The innermost expectation around this task.
    @TaskLocal static var innermost: ErrorExpectation?

    /// The metadata key under which the report of an expected error has the expectation's place.
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

    /// The expectation's place in the source: `IntakeTests/IntakeTests.swift:12`.
    var place: String { "\(sourceLocation.fileID):\(sourceLocation.line)" }

    /// Counts an error for the first expectation, from this one outwards, that matches it.
    ///
    /// - Returns: That expectation; nil if none matches.
    func expectation(counting error: any Error) -> ErrorExpectation? {
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

    /// Records an issue at the expectation's place if the expectation was not met.
    func recordIssue() {
        let found = count.load(ordering: .relaxed)
        if expectedCount.map({ found == $0 }) ?? (found > 0) { return }
        let expected = expectedCount.map { "\($0)" } ?? "at least 1"
        Issue.record("expected \(expected) of \(matcher), found \(found)", sourceLocation: sourceLocation)
    }
}
