public import ErrorRouting
public import Testing

/// Runs a body, and fails the test for each unexpected error that is posted during the run.
///
/// It has the same effect on a body as `.failsOnUnexpectedErrors` has on a test. Use it in an exit test, where the
/// trait's bus is in the test's process, but the code runs in a child process. Swift Testing passes the child's issues
/// to the test.
///
/// ```swift
/// await #expect(processExitsWith: .success) {
///     await failingOnUnexpectedErrors { await Intake().run() }
/// }
/// ```
///
/// As with the trait, ``expectingErrors(matching:as:count:isolation:sourceLocation:_:)`` or a rule makes an error
/// expected. The issues are recorded when the body and the tasks of its bus have ended, so no issues are recorded if
/// the body exits the process.
///
/// - Parameters:
///   - handler: The rules of the body's bus. Errors that they match are expected.
///   - configuration: The configuration of the body's bus. If it is nil, the bus uses the configuration of the test's
///     trait or, if there is none, the default.
///   - isolation: The actor on which the body runs; by default, the caller's actor.
///   - sourceLocation: Where to record issues that don't have their own line.
///   - body: The code to check. It runs in the caller's isolation.
/// - Returns: The body's result.
/// - Throws: The body's error.
@discardableResult
public func failingOnUnexpectedErrors<T, F: Error>(
    handler: ErrorHandler = ErrorHandler(),
    configuration: ErrorBus.Configuration? = nil,
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws(F) -> T
) async throws(F) -> T {
    let trait = UnexpectedErrorsTrait(handler: handler, configuration: configuration)
    return try await ErrorWatch("body at \(sourceLocation)", at: sourceLocation, trait).run(body)
}
