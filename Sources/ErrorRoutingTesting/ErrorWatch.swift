import ErrorRouting
import Testing

/// Collects the unexpected errors and the expectations of one test or body.
final class ErrorWatch: PostWitness {
    /// The watch of the current task's test; nil if the test doesn't have the trait.
    @TaskLocal static var current: ErrorWatch?

    /// The maximum number of issues that a test records for individual errors.
    ///
    /// One additional issue counts the remaining errors.
    static let issueLimit = 50

    private struct State {
        var unexpected: [ErrorReport] = []
        /// How many further unexpected errors occurred.
        var rest = 0
        var expectations: [ErrorExpectation] = []
        /// The reports that the bus's last resort received during the test.
        var undelivered: [ErrorReport] = []
        var isOver = false
        /// The observation of the bus, retained until the bus ends.
        var observation: ErrorObservation?
    }

    /// The test's name for messages: `test "a bad card is reported"`.
    private let name: String
    /// The test's source location, for issues that don't have their own line.
    private let location: SourceLocation
    /// The rules of the test's bus.
    let handler: ErrorHandler
    /// The limits of the test's bus.
    let configuration: ErrorBus.Configuration
    private let state = Locked(State())

    /// Creates a watch for a test with the given name for messages; the trait adds to the trait of the test's suite.
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

    /// The configuration of a bus that marks expected errors and passes the errors that it can't deliver to this watch.
    private var watchingConfiguration: ErrorBus.Configuration {
        var watching = configuration
        watching.witness = self
        watching.lastResort = LastResort(reports: { [self] report, _ in receiveUndelivered(report) })
        return watching
    }

    /// Observes all reports that a bus delivers until it ends.
    private func observe(_ bus: ErrorBus) {
        let observation = bus.observe { [self] in receive($0) }
        state.withLock { $0.observation = observation }
    }

    func add(_ expectation: ErrorExpectation) {
        state.withLock { $0.expectations.append(expectation) }
    }

    /// Marks an error with the expectation that it meets.
    ///
    /// The expectation is read from the posting task.
    func mark(_ error: any Error, as role: ErrorReport.Role) -> (any AnyObject & Sendable)? {
        guard let innermost = ErrorExpectation.innermost, !state.withLock({ $0.isOver }) else { return nil }
        // Unbind the expectations: a matcher might post the error that it evaluates, and that post must not evaluate it
        // again.
        return ErrorExpectation.$innermost.withValue(nil) { innermost.expectation(counting: error, as: role) }
    }

    /// Receives reports that observers don't receive because the test's code shut the bus down.
    func tookBack(_ reports: [ErrorReport]) { reports.forEach(receive) }

    private func receive(_ report: ErrorReport) {
        if report.role != .failure || report.outcome.isHandled || report.mark is ErrorExpectation { return }
        state.withLock { state in
            if state.unexpected.count < Self.issueLimit { state.unexpected.append(report) } else { state.rest += 1 }
        }
    }

    /// Receives an error that the bus couldn't deliver.
    ///
    /// It is recorded at the test's end or, if the test has ended, immediately.
    private func receiveUndelivered(_ report: ErrorReport) {
        guard report.role == .failure else { return }
        let isLate = state.withLock { state in
            if !state.isOver { state.undelivered.append(report) }
            return state.isOver
        }
        if isLate { record(report, "was posted after the \(name) had ended") }
    }

    /// Records the test's issues; called when the test's bus has ended.
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
            let comment = "nothing expected \(state.rest) more errors, after these \(Self.issueLimit)"
            Issue.record("\(comment)", sourceLocation: location)
        }
        for report in state.undelivered { record(report, "could not be delivered by the test's bus") }
        for expectation in state.expectations { expectation.recordIssue() }
    }

    private func record(_ report: ErrorReport, _ what: String) {
        Issue.record(
            report.error, "an error \(what): \(report)", sourceLocation: SourceLocation(report.source, near: location))
    }
}
