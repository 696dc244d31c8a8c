import TestSupport
import Testing

/// Compares the complete first line of each diagnostic.
@Suite("The compiler reports a mistake in a policy at its own line", .hangLimit)
struct DiagnosticTests {}

extension DiagnosticTests {
    /// Lines of a program with the compiler's messages.
    private static let mistakes: [(line: String, says: String)] = [
        // Protocols are used instead of error types.
        ("RetryPolicy().retrying((any P).self)", isNoType("retrying(_:cost:fileID:line:)", "retrying")),
        ("RetryPolicy().retrying((any P).self, cost: 2)", isNoType("retrying(_:cost:fileID:line:)", "retrying")),
        ("RetryPolicy().notRetrying((any P).self)", isNoType("notRetrying(_:fileID:line:)", "notRetrying")),
        // Errors can't be compared.
        (
            "RetryPolicy().retrying(F())",
            "instance method 'retrying(_:cost:fileID:line:)' requires that 'F' conform to 'Equatable'"
        ),
        // Members are misspelled.
        (
            "RetryPolicy().retrying(matching: .type(E.self).where { $0.kode == 1 })",
            "value of type 'E' has no member 'kode'"
        ),
        (
            "RetryPolicy(decisions: ErrorMap(default: .fail).on(E.self, .retryLater))",
            "type 'RetryDecision' has no member 'retryLater'"
        ),
        ("RetryPolicy(backoff: .exponential(jitter: .fully))", "type 'Backoff.Jitter' has no member 'fully'"),
        // An old name is used.
        (
            #"CircuitBreaker("c", counting: .any).open()"#,
            "'open()' has been renamed to 'isolate()': an open circuit makes a trial call after its open period"
        ),
    ]

    private static func isNoType(_ method: String, _ verb: String) -> String {
        "'\(method)' is unavailable: not a concrete error type: use \(verb)(matching: .conforming(to:)) for a protocol"
    }

    @Test("each mistake is reported at its own line, with the expected message")
    func mistakes() async throws {
        let lines = Self.mistakes.enumerated().map { "let policy\($0) = \($1.line)" }
        let program = """
            import ErrorRecovery
            import ErrorRouting
            struct E: Error, Equatable { var code = 1 }
            struct F: Error {}
            protocol P: Error {}

            """
        let errors = try await Typechecker.errors(in: ["wrong.swift": program + lines.joined(separator: "\n")])
        for (index, mistake) in Self.mistakes.enumerated() {
            let said = errors.filter { $0.hasPrefix("wrong.swift:\(index + 6):") }
            expect(said.count, equals: 1, "\(mistake.line): \(said)")
            #expect(said.first?.hasSuffix(": error: \(mistake.says)") == true, "\(mistake.line): \(said)")
        }
        expect(errors.count, equals: Self.mistakes.count)
    }
}
