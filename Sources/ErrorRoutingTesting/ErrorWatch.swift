import ErrorRouting
import Testing

/// The unexpected errors and the expectations of one test.
final class ErrorWatch: PostWitness {
    /// The watch of this task's test, if it has the trait.
    @TaskLocal static var current: ErrorWatch?

    /// How many issues one test records for its errors; one more issue sums up the rest.
    static let mostIssues = 50

    private struct State {
        var unexpected: [ErrorReport] = []
        /// How many more unexpected errors there were.
        var rest = 0
        var expectations: [ErrorExpectation] = []
        /// The lines that the bus wrote to its last resort while the test ran.
        var lines: [String] = []
        var isOver = false
        /// The observation of the bus, retained until the bus has ended.
        var observation: ErrorObservation?
    }

    private let test: Test
    /// The rules of the test's bus.
    let handler: ErrorHandler
    /// The limits of the test's bus.
    let configuration: ErrorBus.Configuration
    private let state = Locked(State())

    /// - Parameters:
    ///   - test: The test.
    ///   - trait: The trait: it adds to that of the test's suite, within which it is applied.
    init(_ test: Test, _ trait: UnexpectedErrorsTrait) {
        self.test = test
        let suite = ErrorWatch.current
        handler = suite?.handler.overlaid(with: trait.handler) ?? trait.handler
        configuration = trait.configuration ?? suite?.configuration ?? .init()
    }

    /// A configuration by which a bus marks expected errors, and tells of errors that it cannot deliver.
    var watchingConfiguration: ErrorBus.Configuration {
        var watching = configuration
        watching.witness = self
        watching.lastResort = LastResort { [self] in receive(line: $0) }.redacting { $0.texts }
        return watching
    }

    /// Observes all reports that a bus delivers, until the bus ends.
    func observe(_ bus: ErrorBus) {
        let observation = bus.observe { [self] in receive($0) }
        state.withLock { $0.observation = observation }
    }

    func add(_ expectation: ErrorExpectation) {
        state.withLock { $0.expectations.append(expectation) }
    }

    /// Marks an error with the expectation that it meets: that is bound in the poster's task.
    func mark(_ error: any Error, as role: ErrorReport.Role) -> (any AnyObject & Sendable)? {
        guard let innermost = ErrorExpectation.innermost, !state.withLock({ $0.isOver }) else { return nil }
        // A matcher may post the error that it is asked about, which is not asked about again.
        return ErrorExpectation.$innermost.withValue(nil) { innermost.expectation(counting: error, as: role) }
    }

    /// Receives reports that no observer gets, since code of the test has shut the bus down.
    func tookBack(_ reports: [ErrorReport]) { reports.forEach(receive) }

    private func receive(_ report: ErrorReport) {
        if report.role != .failure || report.outcome.isHandled || report.mark is ErrorExpectation { return }
        state.withLock { state in
            if state.unexpected.count < Self.mostIssues { state.unexpected.append(report) } else { state.rest += 1 }
        }
    }

    /// Receives a line for an error that the bus could not deliver: recorded at the test's end, or at once after that.
    private func receive(line: String) {
        guard ForeignPosts.isOfFailure(line) else { return }
        let isLate = state.withLock { state in
            if !state.isOver { state.lines.append(line) }
            return state.isOver
        }
        if isLate { record(line, "was posted after the test \"\(test.name)\" had ended") }
    }

    /// Records the issues of the test; called when the test's bus has ended.
    func recordIssues() {
        let state = state.withLock { state in
            state.isOver = true
            state.observation = nil
            return state
        }
        for report in state.unexpected {
            Issue.record(
                report.error,
                "nothing expected this error: \(report)",
                sourceLocation: SourceLocation(report.source, in: test))
        }
        if state.rest > 0 {
            let comment = "nothing expected \(state.rest) more errors, after these \(Self.mostIssues)"
            Issue.record("\(comment)", sourceLocation: test.sourceLocation)
        }
        for line in state.lines { record(line, "could not be delivered by the test's bus") }
        for expectation in state.expectations { expectation.recordIssue() }
    }

    private func record(_ line: String, _ what: String) {
        let source = ErrorReport.Source(inLine: line)
        Issue.record(
            "an error \(what): \(line)",
            sourceLocation: source.map { SourceLocation($0, in: test) } ?? test.sourceLocation)
    }
}
