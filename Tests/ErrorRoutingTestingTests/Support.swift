import ErrorRouting
import TestSupport
import Testing

@testable import ErrorRoutingTesting

struct Declined: Error, Equatable { var code = 51 }
struct Lost: Error {}

/// Runs a body like a test with the trait, then returns the recorded issues.
func issues(
    _ trait: UnexpectedErrorsTrait = .failsOnUnexpectedErrors,
    sourceLocation: SourceLocation = #_sourceLocation,
    of body: @escaping @Sendable () async throws -> Void
) async -> [Issue] {
    let found = Locked<[Issue]>([])
    // Don't rethrow: the body's error is an issue too.
    try? await withKnownIssue(isIntermittent: true, sourceLocation: sourceLocation) {
        let test = try #require(Test.current)
        try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
    } matching: { issue in
        found.withLock { $0.append(issue) }
        return true
    }
    return found.withLock { $0 }
}

extension [Issue] {
    var lines: [Int?] { map(\.sourceLocation?.line) }
    var texts: [String] { map { $0.comments.map(\.rawValue).joined() } }
    func errors<E: Error>(_ type: E.Type) -> [E] { compactMap { $0.error as? E } }
}
