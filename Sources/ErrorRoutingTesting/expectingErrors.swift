public import ErrorRouting
public import Testing

/// Runs a body that is expected to post errors that a matcher matches, in a test with `.failsOnUnexpectedErrors`.
///
/// ```swift
/// await expectingErrors(matching: .type(DecodingError.self), count: 1) { await intake.run() }
/// ```
///
/// The expectation holds for the body and for all tasks that the body starts, except detached ones, even after the body
/// has returned. Errors that a rule's action posts are not included, and need a rule. If expectations are nested, an
/// error counts for the innermost one that matches it.
///
/// At the test's end, when the tasks of its bus have ended, the test fails at the caller's line unless as many errors
/// were posted as were expected. Attempts and notices fail no test by themselves; to expect them, give their role:
///
/// ```swift
/// await expectingErrors(matching: .type(CircuitChanged.self), as: .notice, count: 1) { await client.load() }
/// ```
///
/// - Parameters:
///   - matcher: The errors to expect.
///   - role: The role in which they are posted.
///   - count: How many of them; nil for one or more.
///   - isolation: The caller's actor, where the body runs.
///   - sourceLocation: Where the test fails if the errors are not posted.
///   - body: The body. It keeps the caller's isolation.
/// - Returns: The body's result.
/// - Throws: The body's error.
@discardableResult
public func expectingErrors<Output, T, F: Error>(
    matching matcher: ErrorMatcher<Output>,
    as role: ErrorReport.Role = .failure,
    count: Int? = nil,
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws(F) -> T
) async throws(F) -> T {
    let expectation = ErrorExpectation(matcher, as: role, count: count, at: sourceLocation)
    // `withValue` does not keep the thrown type, and keeps the actor only if the closure captures it.
    let result = await ErrorExpectation.$innermost.withValue(expectation) {
        _ = isolation
        do throws(F) {
            return Result<T, F>.success(try await body())
        } catch {
            return Result<T, F>.failure(error)
        }
    }
    return try result.get()
}

/// Runs a synchronous body that is expected to post errors that a matcher matches.
///
/// See ``expectingErrors(matching:as:count:isolation:sourceLocation:_:)``.
@discardableResult
public func expectingErrors<Output, T, F: Error>(
    matching matcher: ErrorMatcher<Output>,
    as role: ErrorReport.Role = .failure,
    count: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(F) -> T
) throws(F) -> T {
    let expectation = ErrorExpectation(matcher, as: role, count: count, at: sourceLocation)
    let result = ErrorExpectation.$innermost.withValue(expectation) {
        do throws(F) {
            return Result<T, F>.success(try body())
        } catch {
            return Result<T, F>.failure(error)
        }
    }
    return try result.get()
}
