import ErrorRouting
import Testing

/// The unexpected errors and the expectations of one test, or of a body.
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

    /// The test in words: `test "a bad card is reported"`.
    private let name: String
    /// Where the test is: issues that belong to no other line are recorded there.
    private let location: SourceLocation
    /// The rules of the test's bus.
    let handler: ErrorHandler
    /// The limits of the test's bus.
    let configuration: ErrorBus.Configuration
    private let state = Locked(State())

    /// - Parameters:
    ///   - name: The test in words.
    ///   - location: Where the test is.
    ///   - trait: The trait: it adds to that of the test's suite, within which it is applied.
    init(_ name: String, at location: SourceLocation, _ trait: UnexpectedErrorsTrait) {
        (self.name, self.location) = (name, location)
        let suite = ErrorWatch.current
        handler = suite?.handler.overlaid(with: trait.handler) ?? trait.handler
        configuration = trait.configuration ?? suite?.configuration ?? .init()
    }

    /// Runs a body with a bus, and records an issue for each unexpected error.
    func run<T, F: Error>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(F) -> T
    ) async throws(F) -> T {
        ForeignPosts.watch()
        let result = await Self.$current.withValue(self) {
            _ = isolation
            do throws(F) {
                let value = try await withErrorBus(handler: handler, configuration: watchingConfiguration) {
                    (bus: ErrorBus) async throws(F) -> T in
                    observe(bus)
                    return try await body()
                }
                return Result<T, F>.success(value)
            } catch {
                return Result<T, F>.failure(error)
            }
        }
        recordIssues()
        return try result.get()
    }

    /// A configuration by which a bus marks expected errors, and tells of errors that it cannot deliver.
    private var watchingConfiguration: ErrorBus.Configuration {
        var watching = configuration
        watching.witness = self
        watching.lastResort = LastResort { [self] in receive(line: $0) }.redacting { $0.texts }
        return watching
    }

    /// Observes all reports that a bus delivers, until the bus ends.
    private func observe(_ bus: ErrorBus) {
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
        if isLate { record(line, "was posted after the \(name) had ended") }
    }

    /// Records the issues of the test; called when the test's bus has ended.
    private func recordIssues() {
        let state = state.withLock { state in
            state.isOver = true
            state.observation = nil
            return state
        }
        for report in state.unexpected {
            Issue.record(
                report.error,
                "nothing expected this error: \(report)",
                sourceLocation: SourceLocation(report.source, near: location))
        }
        if state.rest > 0 {
            let comment = "nothing expected \(state.rest) more errors, after these \(Self.mostIssues)"
            Issue.record("\(comment)", sourceLocation: location)
        }
        for line in state.lines { record(line, "could not be delivered by the test's bus") }
        for expectation in state.expectations { expectation.recordIssue() }
    }

    private func record(_ line: String, _ what: String) {
        let source = ErrorReport.Source(inLine: line)
        Issue.record(
            "an error \(what): \(line)",
            sourceLocation: source.map { SourceLocation($0, near: location) } ?? location)
    }
}
