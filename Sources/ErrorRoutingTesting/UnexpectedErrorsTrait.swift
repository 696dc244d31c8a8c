public import ErrorRouting
public import Testing

/// Fails a test for each error that is posted while it runs and that nothing expected.
///
/// ```swift
/// @Suite(.failsOnUnexpectedErrors)
/// struct IntakeTests {
///     @Test func aTruncatedOrderIsReported() async {
///         await expectingErrors(matching: .type(DecodingError.self), count: 1) { await Intake().run() }
///     }
/// }
/// ```
///
/// Each test, and each case of a parameterised one, has a bus of its own, which is `ErrorBus.current` for it and for
/// everything it starts: what is posted to `.ambient`, by `postError`, or to that bus is noticed, and tests that run
/// side by side are kept apart. An error was expected if
///
/// - it was posted within an `expectingErrors(matching:)` that matches it, or
/// - a rule took it: one of the handler that the trait was given, or of a scope on the error's way.
///
/// For every other error an issue is recorded at the line where it was posted, once the test's body and its bus's tasks
/// have ended and all is delivered; those beyond fifty are summed up. That goes for the bus's own notices too: an
/// `ActionFailure`, an `ErrorsDropped`.
///
/// A thread or a detached task reaches no test's bus. Where the process has no root bus either, what it posts fails the
/// run, with the error's name and at its posting line, but no test. (For this the trait sets the process's
/// `LastResort`, once.) A bus that the code under test makes itself is that bus's matter.
public struct UnexpectedErrorsTrait: SuiteTrait, TestTrait, TestScoping {
    let handler: ErrorHandler
    let configuration: ErrorBus.Configuration

    /// Each test of a suite has a bus of its own.
    public var isRecursive: Bool { true }

    /// Runs a test with a bus, and records an issue for each error that nothing expected.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The case of it.
    ///   - function: What to run.
    /// - Throws: What the function threw.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        ForeignPosts.watch()
        let watch = ErrorWatch(test)
        let result: Result<Void, any Error>
        do {
            try await ErrorWatch.$current.withValue(watch) {
                try await withErrorBus(handler: handler, configuration: watch.watching(configuration)) { bus in
                    watch.observe(bus)
                    try await function()
                }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        watch.recordIssues()
        try result.get()
    }
}

extension Trait where Self == UnexpectedErrorsTrait {
    /// Fails a test for each error that is posted while it runs and that nothing expected.
    ///
    /// An error is expected by `expectingErrors(matching:)`, or by a rule of a scope on its way. Given to a suite, the
    /// trait holds for each of its tests. See ``UnexpectedErrorsTrait``.
    public static var failsOnUnexpectedErrors: Self { failsOnUnexpectedErrors() }

    /// Fails a test for each error that is posted while it runs and that nothing expected, rules of a handler included.
    ///
    /// - Parameters:
    ///   - handler: The rules of the test's bus: what one of them matches was expected. Given the application's own, a
    ///     test fails for those errors alone that no rule knows.
    ///   - configuration: How much the test's bus holds, how long an action may take, and its clock.
    /// - Returns: The trait.
    public static func failsOnUnexpectedErrors(
        handler: ErrorHandler = ErrorHandler(),
        configuration: ErrorBus.Configuration = .init()
    ) -> Self {
        Self(handler: handler, configuration: configuration)
    }
}
