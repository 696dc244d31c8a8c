public import ErrorRouting
public import Testing

/// Runs a body and fails the test for each unexpected error that is posted while the body runs.
///
/// It has the same effect on a body as `.failsOnUnexpectedErrors` has on a test. Use it in an exit test: the trait's
/// bus is in the test's process, but the code runs in a child process. Swift Testing passes the child's issues on.
///
/// ```swift
/// await #expect(processExitsWith: .success) {
///     await failingOnUnexpectedErrors { await Intake().run() }
/// }
/// ```
///
/// As with the trait, ``expectingErrors(matching:as:count:isolation:sourceLocation:_:)`` or a rule makes an error
/// expected. The issues are recorded when the body and the tasks of its bus have ended, so nothing is recorded if the
/// body ends the process.
///
/// - Parameters:
///   - handler: The rules of the body's bus. Errors that they match are expected.
///   - configuration: The configuration of the body's bus; nil for that of the test's trait or, without one, the
///     default.
///   - isolation: The caller's actor, where the body runs.
///   - sourceLocation: Where to record issues that have no line of their own.
///   - body: The body. It keeps the caller's isolation.
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
