public import ErrorRouting
public import Testing

/// Runs a body and expects it to post errors that a matcher matches, in a test with `.failsOnUnexpectedErrors`.
///
/// ```swift
/// await expectingErrors(matching: .type(DecodingError.self), count: 1) { await intake.run() }
/// ```
///
/// The expectation applies to the body and to all tasks that it starts, except detached tasks, even after the body
/// returns. It doesn't apply to errors that a rule's action posts: handle those errors with a rule. If expectations are
/// nested, an error counts for the innermost expectation that matches it.
///
/// When the tasks of the test's bus have ended, the test fails at the caller's line unless the expected number of
/// errors was posted. Attempts and notices alone don't fail a test. To expect them, pass their role:
///
/// ```swift
/// await expectingErrors(matching: .type(CircuitChanged.self), as: .notice, count: 1) { await client.load() }
/// ```
///
/// - Parameters:
///   - matcher: The errors to expect.
///   - role: The role with which the errors are posted.
///   - count: How many of these errors to expect; nil for at least one.
///   - isolation: The actor on which the body runs; by default, the caller's actor.
///   - sourceLocation: Where the test fails if the errors aren't posted.
///   - body: Posts the errors, directly or in tasks that it starts. It runs in the caller's isolation.
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
    // Return a `Result` and capture the actor: `withValue` doesn't keep the type of the thrown error, and it keeps the
    // actor only if the closure captures it.
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

/// Runs a synchronous body and expects it to post errors that a matcher matches.
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
