public import ErrorRouting
public import Testing

/// Runs a body, and fails the test for each unexpected error that is posted while the body runs.
///
/// It does for a body what `.failsOnUnexpectedErrors` does for a test. Use it in an exit test: the test's process has
/// the trait's bus, but the code runs in a child process, and Swift Testing passes the child's issues on.
///
/// ```swift
/// await #expect(processExitsWith: .success) {
///     await failingOnUnexpectedErrors { await Intake().run() }
/// }
/// ```
///
/// An error is expected as with the trait: by ``expectingErrors(matching:as:count:isolation:sourceLocation:_:)``, or by
/// a rule. The issues are recorded when the body and the tasks of its bus have ended, so not if the body ends the
/// process.
///
/// - Parameters:
///   - handler: The rules of the body's bus: errors that they match are expected.
///   - configuration: The limits of the body's bus; nil for those of the test's trait, or the default if there is none.
///   - isolation: The caller's actor, where the body runs.
///   - sourceLocation: Where an issue is recorded that belongs to no other line.
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
