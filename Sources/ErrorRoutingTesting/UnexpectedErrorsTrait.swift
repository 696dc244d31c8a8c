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
/// Each test, and each case of a parameterised test, gets its own bus. This bus is `ErrorBus.current` in the test
/// and in the tasks that it starts, so errors of tests that run at the same time are kept apart. The trait sees every
/// failure that is posted to `.ambient`, by `postError`, or to this bus; attempts and notices fail no test. An error is
/// expected if
///
/// - it was posted within an `expectingErrors(matching:)` that matches it, or
/// - a rule handled or ignored it: a rule of the handler given to the trait, or of a scope that it was posted in.
///
/// For every other error, an issue is recorded at the line that posted the error. Issues are recorded when the test's
/// body and its bus's tasks have ended and everything is delivered; issues beyond fifty are summed up. The bus's own
/// reports, `ActionFailure` and `ErrorsDropped`, are treated like other errors, and so are reports that a `shutdown` in
/// the test takes back. A flood limit never folds an error that is expected into one that is not, or the reverse.
///
/// A test's own trait adds to its suite's: its rules are tried first, then those of the suite. Its configuration, if it
/// has one, replaces the suite's.
///
/// Code in a thread or a detached task has no test's bus. If the process has no root bus either, an error that it posts
/// fails the run and not a test: the issue has the error's name and its posting line. (For this the trait sets the
/// process's `LastResort`, once.) The trait does not see errors of a bus that the code under test makes itself, or of
/// the child process of an exit test: see
/// ``failingOnUnexpectedErrors(handler:configuration:isolation:sourceLocation:_:)``.
public struct UnexpectedErrorsTrait: SuiteTrait, TestTrait, TestScoping {
    let handler: ErrorHandler
    let configuration: ErrorBus.Configuration?

    /// Whether the trait applies to each test of a suite: true, each test gets its own bus.
    public var isRecursive: Bool { true }

    /// Runs a test with a bus, and records an issue for each unexpected error.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The test's case.
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
    /// An error is expected by `expectingErrors(matching:)`, or by a rule of a scope that it was posted in. On a suite,
    /// the trait applies to each of its tests. See ``UnexpectedErrorsTrait``.
    public static var failsOnUnexpectedErrors: Self { failsOnUnexpectedErrors() }

    /// Fails a test for each unexpected error that is posted while the test runs; errors that a handler's rules match
    /// are expected.
    ///
    /// - Parameters:
    ///   - handler: The rules of the test's bus: errors that they match are expected. With the application's own rules,
    ///     a test fails only for errors that no rule matches.
    ///   - configuration: How much the test's bus holds, how long an action may take, and its clock; nil for that of
    ///     the suite's trait, or the default if there is none.
    /// - Returns: The trait.
    public static func failsOnUnexpectedErrors(
        handler: ErrorHandler = ErrorHandler(),
        configuration: ErrorBus.Configuration? = nil
    ) -> Self {
        Self(handler: handler, configuration: configuration)
    }
}
