import TestSupport
import Testing

/// Each case pins part of its diagnostic.
@Suite("The compiler rejects code that must not compile", .hangLimit)
struct MustNotCompileTests {}

extension MustNotCompileTests {
    private struct Case {
        let name: String
        let body: String
        /// Part of the diagnostic; nil for the control, which compiles.
        let diagnostic: String?
    }

    private static let cases = [
        Case(
            name: "the control: the stage that the others stand on compiles",
            body: "_ = ErrorHandler().on(Lost.self) { _ in .stop }.on(Declined.card) { _ in .next }",
            diagnostic: nil
        ),
        Case(
            name: "a bus without a handler",
            body: "_ = ErrorBus()",
            diagnostic: "missing argument for parameter 'handler'"
        ),
        Case(
            name: "a value rule for an error that is not Equatable",
            body: "_ = ErrorHandler().ignore(matching: .value(Lost()))",
            diagnostic: "'Lost' conform to 'Equatable'"
        ),
        Case(
            name: "a type rule for what is no error",
            body: "_ = ErrorMatcher.type(String.self)",
            diagnostic: "'String' conform to 'Error'"
        ),
        Case(
            name: "an action that answers nothing",
            body: "_ = ErrorHandler().onNoMatch { error in print(error) }",
            diagnostic: "'HandleStrategy'"
        ),
        Case(
            name: "an action that captures what is not Sendable",
            body: "let box = Box(); _ = ErrorHandler().onNoMatch { _ in box.count += 1; return .stop }; box.count += 1",
            diagnostic: "non-Sendable type 'Box'"
        ),
        Case(
            name: "a predicate that captures what is not Sendable",
            body: "let box = Box(); _ = ErrorMatcher.predicate { _ in box.count > 0 }; box.count += 1",
            diagnostic: "non-Sendable type 'Box'"
        ),
        Case(
            name: "matching an output that is not Sendable",
            body: "_ = ErrorMatcher<Box>.extracting(Lost.self) { _ in Box() }",
            diagnostic: "'Box' does not conform to the 'Sendable' protocol"
        ),
        Case(
            name: "forgetting the try where the body throws",
            body: "await withErrorBus(handler: .default) { _ in throw Lost() }",
            diagnostic: "call can throw"
        ),
        Case(
            name: "throwing something else than the typed error out of rethrowing",
            body: """
                func f(_ bus: ErrorBus) throws(Declined) { try bus.rethrowing { () throws(Lost) in throw Lost() } }
                """,
            diagnostic: "thrown expression type 'Lost' cannot be converted to error type 'Declined'"
        ),
        Case(
            name: "a map's value that is made on the main actor",
            body: "_ = ErrorMap(default: 1).on(Lost.self) { @MainActor _ in 2 }",
            diagnostic: "loses global actor 'MainActor'"
        ),
        Case(
            name: "two handlers that are compared",
            body: "_ = ErrorHandler() == ErrorHandler()",
            diagnostic: "'ErrorHandler'"
        ),
    ]

    @Test("each case is rejected with its diagnostic, and the control compiles")
    func mustNotCompile() async throws {
        var sources = [
            "stage.swift": """
            import ErrorRouting

            struct Lost: Error {}
            enum Declined: Error, Equatable { case card }
            final class Box { var count = 0 }
            """
        ]
        // Use one module, because starting the compiler takes longer than checking a case.
        for (index, example) in Self.cases.enumerated() {
            sources["case\(index).swift"] = """
                import ErrorRouting

                func example\(index)() async {
                    \(example.body)
                }
                """
        }
        let errors = try await Typechecker.errors(in: sources)
        for (index, example) in Self.cases.enumerated() {
            let own = errors.filter { $0.hasPrefix("case\(index).swift:") }
            if let diagnostic = example.diagnostic {
                #expect(own.contains { $0.contains(diagnostic) }, "\(example.name): \(own)")
            } else {
                expect(own, equals: [], "\(example.name)")
            }
        }
        #expect(!errors.contains { $0.hasPrefix("stage.swift") })
    }
}
