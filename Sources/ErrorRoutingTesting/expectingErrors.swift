public import ErrorRouting
public import Testing

/// Says that a body posts errors that a matcher matches, in a test with `.failsOnUnexpectedErrors`.
///
/// ```swift
/// await expectingErrors(matching: .type(DecodingError.self), count: 1) { await intake.run() }
/// ```
///
/// It goes for the body and everything that it starts, by the task: what a task of the body's posts is expected also
/// where the body has returned by then. What an action posts is not the body's, and needs a rule. Where expectations
/// are nested, an error counts for the innermost that matches it.
///
/// At the test's end, when the tasks of its bus have ended, the test fails at the caller's line unless as many errors
/// were posted as were expected. The report of an expected error says by the metadata `expected.at` where that was.
///
/// - Parameters:
///   - matcher: The errors to expect.
///   - count: How many of them; nil for one or more.
///   - isolation: The caller's actor, where the body runs.
///   - sourceLocation: Where the test fails if they are not posted.
///   - body: What to run. It keeps the caller's isolation.
/// - Returns: What the body returned.
/// - Throws: What the body threw.
public func expectingErrors<Output, T, F: Error>(
    matching matcher: ErrorMatcher<Output>,
    count: Int? = nil,
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws(F) -> T
) async throws(F) -> T {
    let expectation = ErrorExpectation(matcher, count: count, at: sourceLocation)
    // `withValue` keeps neither the type of what is thrown nor, unless the closure takes it along, the actor.
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

/// Says that a synchronous body posts errors that a matcher matches.
///
/// See ``expectingErrors(matching:count:isolation:sourceLocation:_:)``.
public func expectingErrors<Output, T, F: Error>(
    matching matcher: ErrorMatcher<Output>,
    count: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(F) -> T
) throws(F) -> T {
    let expectation = ErrorExpectation(matcher, count: count, at: sourceLocation)
    let result = ErrorExpectation.$innermost.withValue(expectation) {
        do throws(F) {
            return Result<T, F>.success(try body())
        } catch {
            return Result<T, F>.failure(error)
        }
    }
    return try result.get()
}
