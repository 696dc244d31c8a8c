import Foundation
package import Testing

/// A test's turn among the other tests, and its time limit, which begins with the turn.
///
/// Every suite of the main package has this trait. Swift Testing starts all tests at the same time; on a machine with
/// few cores, and under a sanitizer, a test that hangs would look like a test that waits for a core.
package struct HangLimit: TestTrait, SuiteTrait, TestScoping {
    @TaskLocal private static var hasTurn = false

    private let minutes: Int
    private let isAlone: Bool

    package var isRecursive: Bool { true }

    fileprivate init(minutes: Int, isAlone: Bool = false) {
        self.minutes = minutes
        self.isAlone = isAlone
    }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // Read the innermost trait on the first call. The first call is the outermost suite's; ignore later calls.
        if Self.hasTurn { return try await body() }
        let trait = test.traits.compactMap { $0 as? Self }.last ?? self
        let turns = Turns.ofProcess
        try await turns.taking(trait.isAlone ? turns.count : 1) {
            try await Self.$hasTurn.withValue(true) { try await trait.limit(body, of: test) }
        }
    }

    private func limit(_ body: @concurrent @Sendable () async throws -> Void, of test: Test) async throws {
        try await withoutActuallyEscaping(body) { body in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    try await Task.sleep(for: .seconds(60 * minutes))
                    Issue.record("the test ran for more than \(minutes) minutes", sourceLocation: test.sourceLocation)
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}

extension Trait where Self == HangLimit {
    /// The turn of tests that run alongside others, and a time limit of ten minutes.
    package static var hangLimit: Self { .hangLimit(minutes: 10) }

    /// The turn of tests that run alongside others, and a time limit.
    package static func hangLimit(minutes: Int) -> Self { HangLimit(minutes: minutes) }

    /// The turn of tests that run alone, because they need the process or the cores for themselves.
    package static var alone: Self { HangLimit(minutes: 10, isAlone: true) }
}

/// Ends this process if it hangs; must be the first call in each exit test.
///
/// A time limit is reported when it expires, but still waits for the process, so the whole test run would hang.
///
/// - Parameter seconds: Much more than an exit test takes on a busy machine under a sanitizer.
package func endIfItHangs(after seconds: Int = 300) { alarm(UInt32(seconds)) }

extension ExitTest.Result? {
    /// The process's output on standard error.
    package var standardErrorText: String { String(decoding: self?.standardErrorContent ?? [], as: UTF8.self) }

    /// The lines that the process wrote to standard error.
    package var standardErrorLines: [String] { standardErrorText.nonemptyLines }
}
