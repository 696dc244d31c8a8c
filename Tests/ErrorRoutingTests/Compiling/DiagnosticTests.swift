import TestSupport
import Testing

/// Pins the whole first line of each diagnostic.
@Suite("The compiler reports a mistake at its own line, and describes it correctly", .hangLimit)
struct DiagnosticTests {}

extension DiagnosticTests {
    /// A line of a program, and the compiler's diagnostic for it.
    private static let mistakes: [(line: String, says: String)] = [
        // A member of the error is misspelled, in each verb and shape.
        ("ErrorHandler().on(E.self) { $0.kode == 1 ? .stop : .next }", noMember),
        ("ErrorHandler().on(E.self) { error in print(error.kode); return .stop }", noMember),
        ("ErrorHandler().on(E.self) { error in await pause(); print(error.kode); return .stop }", noMember),
        ("ErrorHandler().on(E.self) { error, _ in print(error.kode); return .stop }", twoArguments("E")),
        // For a rule by value, the compiler assumes that a type was meant.
        ("ErrorHandler().on(E()) { error in print(error.kode); return .stop }", noTypeMeant),
        ("ErrorHandler().on(matching: .type(E.self)) { error in print(error.kode); return .stop }", noMember),
        ("ErrorHandler().on(matching: .type(E.self).where { $0.kode == 1 }) { _ in .stop }", noMember),
        ("ErrorHandler().on(domain: \"d\") { error in print(error.kode); return .stop }", noMember("NSError", "kode")),
        ("ErrorMap(default: 1).on(E.self) { $0.kode }", noMember),
        ("ErrorMap(default: 1).on(E()) { $0.kode }", noTypeMeant),
        ("ErrorMap(default: 1).on(matching: .type(E.self)) { $0.kode }", noMember),
        ("ErrorMap(default: 1).on(domain: \"d\") { $0.kode }", noMember("NSError", "kode")),
        // A member of the report is misspelled. For a closure with two parameters, the compiler complains about their
        // number. If the report's type is written out, it names the member.
        ("ErrorHandler().on(E.self) { _, report in print(report.sorce); return .stop }", twoArguments("E")),
        (
            "ErrorHandler().on(E.self) { (_, report: ErrorReport) in print(report.sorce); return .stop }",
            noMember("ErrorReport", "sorce")
        ),
        (
            "ErrorHandler().always { (_, report: ErrorReport) in print(report.outcome.dispo); return .stop }",
            noMember("HandleOutcome", "dispo")
        ),
        // The result of an action is wrong.
        ("ErrorHandler().on(E.self) { _ in .stap }", noMember("HandleStrategy", "stap", isOfType: true)),
        ("ErrorHandler().on(E.self) { _, _ in .stap }", noMember("HandleStrategy", "stap", isOfType: true)),
        (
            "ErrorHandler().on(E.self) { error in print(error) }",
            "cannot convert value of type '()' to closure result type 'HandleStrategy'"
        ),
        (
            "ErrorMap(default: 1).on(E.self) { \"\\($0.code)\" }",
            "cannot convert value of type 'String' to closure result type 'Int'"
        ),
        // Protocols are used instead of error types.
        ("ErrorHandler().on((any P).self) { _ in .stop }", isNoType("on(_:fileID:line:do:)")),
        ("ErrorHandler().on((any P).self) { _, _ in .stop }", isNoType("on(_:fileID:line:do:)")),
        ("ErrorHandler().on((any P).self) { _ in await pause(); return .stop }", isNoType("on(_:fileID:line:do:)")),
        ("ErrorHandler().on((any P).self) { _, _ in await pause(); return .stop }", isNoType("on(_:fileID:line:do:)")),
        ("ErrorHandler().ignore((any P).self)", isNoType("ignore(_:fileID:line:)", "ignore")),
        // Several types or values are passed for one rule.
        ("ErrorHandler().ignore(E.self, F.self)", isSeveral),
        ("ErrorHandler().ignore(E.self, F.self, E.self)", isSeveral),
        ("ErrorHandler().ignore(E(), E(code: 2))", isSeveral),
        ("ErrorMap(default: 1).on((any P).self, 2)", isNoType("on(_:_:fileID:line:where:)")),
        ("ErrorMap(default: 1).on((any P).self) { _ in 2 }", isNoType("on(_:fileID:line:_:)")),
        // Cases with a payload are used instead of values, with closures of any shape that fit an error.
        ("ErrorHandler().on(Payment.declined) { _ in .stop }", isNoValue),
        ("ErrorHandler().on(Payment.lost) { _, _ in .stop }", isNoValue),
        ("ErrorHandler().on(Payment.declined) { error in print(error); return .stop }", isNoValue),
        ("ErrorHandler().on(Payment.declined) { error, _ in await pause(); print(error); return .stop }", isNoValue),
        // These are mistakes in main-actor actions.
        ("ErrorHandler().on(E.self) { @MainActor error in touch(); print(error.kode); return .stop }", noMember),
        // These are mistakes in arguments.
        (
            "ErrorHandler().on(F()) { _ in .stop }",
            "instance method 'on(_:fileID:line:do:)' requires that 'F' conform to 'Equatable'"
        ),
        (
            "ErrorHandler().on(domain: \"d\", code: \"1\") { _ in .stop }",
            "cannot convert value of type 'String' to expected argument type 'Int'"
        ),
    ]

    private static let noMember = noMember("E", "kode")

    private static let isNoValue =
        "'on(_:fileID:line:do:)' is unavailable: a case with a payload isn't a value: "
        + "use on(matching: .extracting(E.self) { … })"

    private static let isSeveral =
        "'ignore' is unavailable: one type or value for each call: .ignore(A.self).ignore(B.self)"

    private static let noTypeMeant = "cannot convert value of type 'E' to expected argument type 'E.Type'"

    private static func noMember(_ type: String, _ member: String, isOfType: Bool = false) -> String {
        "\(isOfType ? "type" : "value of type") '\(type)' has no member '\(member)'"
    }

    private static func twoArguments(_ match: String) -> String {
        "contextual closure type '@Sendable (\(match)) throws -> HandleStrategy' expects 1 argument, "
            + "but 2 were used in closure body"
    }

    private static func isNoType(_ method: String, _ verb: String = "on") -> String {
        "'\(method)' is unavailable: not a concrete error type: use \(verb)(matching: .conforming(to:)) for a protocol"
    }

    @Test("each mistake is reported at its own line, with the expected message")
    func mistakes() async throws {
        let lines = Self.mistakes.enumerated().map { "let rules\($0) = \($1.line)" }
        let program = """
            import ErrorRouting
            import Foundation
            struct E: Error, Equatable { var code = 1 }
            struct F: Error {}
            protocol P: Error {}
            enum Payment: Error, Equatable { case declined(Int), lost(Int, reason: String) }
            @MainActor func touch() {}
            func pause() async {}

            """
        let errors = try await Typechecker.errors(in: ["wrong.swift": program + lines.joined(separator: "\n")])
        for (index, mistake) in Self.mistakes.enumerated() {
            let said = errors.filter { $0.hasPrefix("wrong.swift:\(index + 9):") }
            #expect(said.count == 1 && said[0].hasSuffix(": error: \(mistake.says)"), "\(mistake.line): \(said)")
        }
        expect(errors.count, equals: Self.mistakes.count)
    }

    @Test(
        "a main-actor action needs no async, in every verb, and no other closure runs on the main actor",
        arguments: ["5", "6"])
    func mainActor(version: String) async throws {
        let verbs = [
            "on(E.self)", "on(E())", "on(domain: \"d\")", "on(matching: .type(E.self))", "onNoMatch", "always",
        ]
        let shapes = ["error", "error, report", "error async", "error, report async"]
        let returningNothing = shapes.map { "    .always { @MainActor \($0) in touch() }" }
        let rules =
            returningNothing
            + verbs.flatMap { verb in
                shapes.map { "    .\(verb) { @MainActor \($0) in touch(); return .stop }" }
            }
        let program = """
            import ErrorRouting
            struct E: Error, Equatable { var code = 1 }
            @MainActor func touch() {}
            let rules = ErrorHandler()
            \(rules.joined(separator: "\n"))
            @MainActor func synchronous() {
                let outcome = ErrorHandler().on(E.self) { $0.code == 1 ? .stop : .next }.handleSynchronously(E())
                print(outcome as Any)
            }
            """
        // Swift 5 only warns if an action loses its actor.
        let options = ["-swift-version", version, "-warnings-as-errors"]
        expect(try await Typechecker.errors(in: ["actor.swift": program], options), equals: [])
    }

    @Test("a chain of 100 always actions, with and without a result, is type-checked as one expression")
    func longChainOfAlways() async throws {
        let actions = (0..<25).map { number in
            """
                .always { error in print(error, \(number)) }
                .always { _, report in
                    let text = "\\(report.message) \(number)"
                    print(text)
                }
                .always { _, report in report.sequence == \(number) ? .stop : .next }
                .always { error in
                    await pause()
                    print(error)
                }
            """
        }
        let program = """
            import ErrorRouting
            func pause() async {}
            let rules = ErrorHandler()
            \(actions.joined(separator: "\n"))
            """
        let limits = ["-Xfrontend", "-solver-expression-time-threshold=60"]
        expect(try await Typechecker.errors(in: ["always.swift": program], limits), equals: [])
    }

    @Test("a chain of 200 rules in all shapes is type-checked as one expression, within the compiler's limits")
    func longChain() async throws {
        // A map's 200 rules take seven times as long as a handler's rules. Test all of them with `ERROR_BUS_LONG=1`.
        let mapRuleCount = isLong ? 200 : 50
        let rules = (0..<50).map { number in
            """
                .on(E.self) { error in error.code == \(number) ? .stop : .next }
                .on(matching: .type(F.self) || .nsError(domain: "d", code: \(number))) { _, report in
                    report.sequence == \(number) ? .stop : .next
                }
                .on(E(code: \(number))) { _ in
                    await pause()
                    return .stop
                }
                .ignore(domain: "d\(number)")
            """
        }
        let program = """
            import ErrorRouting
            struct E: Error, Equatable { var code = 1 }
            struct F: Error {}
            func pause() async {}
            let rules = ErrorHandler()
            \(rules.joined(separator: "\n"))
            let map = ErrorMap(default: 0)
            \((0..<mapRuleCount).map { "    .on(E(code: \($0))) { $0.code + \($0) }" }.joined(separator: "\n"))
            """
        let limits = ["-Xfrontend", "-solver-expression-time-threshold=120"]
        expect(try await Typechecker.errors(in: ["long.swift": program], limits), equals: [])
    }
}
