public import ErrorRouting
public import Testing

/// A trait that fails a test for each unexpected error that is posted while the test runs.
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
/// Each test, and each case of a parameterized test, has its own bus. This bus is `ErrorBus.current` in the test and in
/// the tasks that it starts, so the errors of concurrent tests stay separate. The trait receives every failure that is
/// posted to `.ambient`, with `postError`, or to this bus. Attempts and notices don't fail a test. An error is expected
/// in two cases:
///
/// - It was posted within an `expectingErrors(matching:)` that matches it.
/// - A rule handled or ignored it: a rule of the trait's handler, or of a scope in which it was posted.
///
/// For every other error, the trait records an issue at the line that posted the error. It records the issues when the
/// test's body and its bus's tasks have ended and every error has been delivered. After fifty issues, one additional
/// issue counts the remaining errors. The bus's own reports, `ActionFailure` and `ErrorsDropped`, are treated like
/// other errors, and so are reports that a `shutdown` in the test returns. A flood limit never merges expected errors
/// with unexpected errors.
///
/// A test's own trait adds to its suite's trait: the bus tries the test's rules before the suite's rules. If the test's
/// trait contains a configuration, it replaces the suite's configuration.
///
/// Code in a thread or a detached task doesn't have a test's bus. If the process doesn't have a root bus either, an
/// error posted there fails the run instead of a test, and the issue contains the error's name and the posting line. To
/// receive such errors, the trait sets the process's `LastResort` once. The trait doesn't receive errors of a bus that
/// the code under test creates itself, or of an exit test's child process. For these, use
/// ``failingOnUnexpectedErrors(handler:configuration:isolation:sourceLocation:_:)``.
public struct UnexpectedErrorsTrait: SuiteTrait, TestTrait, TestScoping {
    let handler: ErrorHandler
    let configuration: ErrorBus.Configuration?

    /// Whether the trait applies to each test of a suite: true, because each test has its own bus.
    public var isRecursive: Bool { true }

    /// Runs a test with a bus, and records an issue for each unexpected error.
    ///
    /// - Parameters:
    ///   - test: The test to run.
    ///   - testCase: The test case to run; not used.
    ///   - function: The test's body.
    /// - Throws: The function's error.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ErrorWatch("test \"\(test.name)\"", at: test.sourceLocation, self).run(function)
    }
}

extension Trait where Self == UnexpectedErrorsTrait {
    /// Fails a test for each unexpected error that is posted while the test runs.
    ///
    /// An error is expected if `expectingErrors(matching:)` or a rule of its scope matches it. On a suite, the trait
    /// applies to each of its tests. See ``UnexpectedErrorsTrait``.
    public static var failsOnUnexpectedErrors: Self { failsOnUnexpectedErrors() }

    /// Fails a test for each unexpected error that is posted while the test runs.
    ///
    /// Errors that the handler's rules match are expected.
    ///
    /// - Parameters:
    ///   - handler: The rules of the test's bus. Errors that they match are expected. With the application's own rules,
    ///     a test fails only for errors that no rule matches.
    ///   - configuration: The capacity of the test's bus, its time limit for actions, and its clock. If it is nil, the
    ///     test uses the configuration of its suite's trait or, if that is also nil, the default.
    /// - Returns: The trait.
    public static func failsOnUnexpectedErrors(
        handler: ErrorHandler = ErrorHandler(),
        configuration: ErrorBus.Configuration? = nil
    ) -> Self {
        Self(handler: handler, configuration: configuration)
    }
}
