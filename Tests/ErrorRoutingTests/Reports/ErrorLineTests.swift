import Foundation
import TestSupport
import Testing

// `ErrorLine` with a redaction is internal: publicly it only goes to standard error.
@testable import ErrorRouting

@Suite("The default preset prints one error as one line of fields", .tags(.behaviour24, .behaviour25))
struct ErrorLineTests {}

extension ErrorLineTests {
    struct Coded: CustomNSError, LocalizedError {
        static let errorDomain = "zoo coded"
        var errorCode = 9
        var errorDescription: String? { "it is coded" }
    }

    struct Generic<First, Second>: Error {}

    private struct Hidden: Error {}

    /// A text from outside that tries to be more than a text in its field.
    struct HostileText: Sendable, CustomTestStringConvertible {
        let text: String

        init(_ text: String) { self.text = text }

        var testDescription: String { text.unicodeScalars.prefix(24).map { $0.escaped(asASCII: true) }.joined() }
    }

    static let hostileTexts = [
        "", " ", "a\nb", "a\r\nb", "\n\n\n", "a\tb", "nul\0nul", "a\u{2028}b\u{2029}c", "a\u{85}b", "a\u{B}b\u{C}c",
        "\u{1B}[31mred\u{1B}[0m", "\u{9B}31m", "\u{8}\u{7F}", "abc\u{202E}fed\u{202C}", "\u{2066}x\u{2069}", "\u{200F}",
        #"" source=Fake.swift:1 x=""#, #"back\slash"#, #"\"#, #"\""#, #"\n"#, "a=b", "e\u{301}",
        "👩‍👩‍👧", "🇩🇪", "\u{200B}\u{E0041}", "a\u{200D}\u{200D}", String(repeating: "long\n", count: 2_000),
    ].map(HostileText.init)

    /// Where the mark and what follows make one character, but two scalars.
    static let combiningTexts = ["\"\u{301} fake=1", "\\\u{301}", "\"\u{FE0F}"].map(HostileText.init)

    private func line(
        _ error: any Error, metadata: [String: String] = [:], scope: [String] = [], occurrences: Int = 1
    ) -> String {
        "\(report(error, metadata: metadata, scope: scope, occurrences: occurrences))"
    }

    private func report(
        _ error: any Error, metadata: [String: String] = [:], scope: [String] = [], occurrences: Int = 1
    ) -> ErrorReport {
        ErrorReport(
            error: error, source: .init(fileID: "Intake/Main.swift", line: 12), metadata: metadata, scope: scope,
            occurrences: occurrences
        )
    }

    private func message(_ error: any Error) -> String? {
        ErrorLineFields(line(error))?["message"]
    }

    @Test("it has type, message and source")
    func plain() {
        expect(
            line(Zoo.Timeout(seconds: 5)),
            equals: #"failure type=ErrorRoutingTests.Zoo.Timeout message="Timeout(seconds: 5)" "#
                + "source=Intake/Main.swift:12"
        )
    }

    @Test("it has scope, metadata in the order of the keys, and occurrences where there are any")
    func everything() {
        let text = line(
            Zoo.Offline(), metadata: ["order": "17", "eta": "a b"], scope: ["intake", "xml"], occurrences: 3)
        expect(
            text,
            equals: #"failure type=ErrorRoutingTests.Zoo.Offline message="Offline()" source=Intake/Main.swift:12 "#
                + #"scope=intake/xml metadata.eta="a b" metadata.order="17" occurrences=3"#
        )
    }

    @Test("it has domain and code where an error has its own")
    func domainAndCode() {
        let coded = ErrorLineFields(line(Coded()))
        expect(coded?.keys, equals: ["type", "message", "domain", "code", "source"])
        expect(coded?["domain"], equals: "zoo coded")
        expect(coded?["code"], equals: "9")
        let url = ErrorLineFields(line(URLError(.timedOut)))
        expect(url?["domain"], equals: NSURLErrorDomain)
        expect(url?["code"], equals: "-1001")
        expect(ErrorLineFields(line(NSError(domain: "d", code: 3)))?["code"], equals: "3")
        expect(ErrorLineFields(line(Zoo.Payment.expired))?.keys, equals: ["type", "message", "source"])
    }

    @Test("the message is what a LocalizedError or an NSError says, else what Swift says of the error")
    func messages() {
        expect(message(Zoo.Localized(errorDescription: "no paper")), equals: "no paper")
        expect(message(Zoo.Localized()), equals: "Localized(errorDescription: nil)")
        expect(message(Coded()), equals: "it is coded")
        expect(message(Zoo.Payment.declined(code: 51)), equals: "declined(code: 51)")
        let described = NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "no toner"])
        expect(message(described), equals: "no toner")
        expect(message(NSError(domain: "d", code: 1))?.contains("d error 1"), equals: true)
    }

    @Test("the message of a coding error has its path")
    func codingErrors() throws {
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode([[String: Int]].self, from: Data(#"[{"amount": "x"}]"#.utf8))
        }
        expect(message(error)?.contains("amount"), equals: true)
    }

    @Test("the type is named with its module and the types around it")
    func typeNames() {
        expect(ErrorLineFields(line(Zoo.Box(content: 1)))?["type"], equals: "ErrorRoutingTests.Zoo.Box<Swift.Int>")
        expect(ErrorLineFields(line(CancellationError()))?["type"], equals: "Swift.CancellationError")
    }

    @Test("a type's name that has spaces does not run into the next field")
    func typeNamesWithSpaces() {
        let generic = ErrorLineFields(line(Generic<Int, String>()))
        expect(generic?.keys, equals: ["type", "message", "source"])
        expect(generic?["type"]?.hasSuffix("Generic<Swift.Int, Swift.String>"), equals: true)
        expect(ErrorLineFields(line(Hidden()))?.keys, equals: ["type", "message", "source"])
    }

    @Test(
        "one error is one line, whatever its message holds, and the message can be read back", arguments: hostileTexts)
    func hostileMessages(hostile: HostileText) {
        expectMessage(hostile.text)
    }

    @Test("a mark that an accent makes one character with is escaped as well", arguments: combiningTexts)
    func combiningMarks(hostile: HostileText) {
        expectMessage(hostile.text)
    }

    @Test("metadata, scopes and domains of any text stay in their fields", arguments: hostileTexts)
    func hostileFields(hostile: HostileText) {
        let text = hostile.text
        let error = NSError(domain: text, code: 1, userInfo: [NSLocalizedDescriptionKey: "message"])
        let line = line(error, metadata: ["key": text, text: "value"], scope: [text])
        expectOneLine(line)
        let fields = ErrorLineFields(line)
        expect(fields?.keys.count, equals: 8)
        expect(fields?["domain"], equals: text)
        expect(fields?["scope"], equals: text)
        expect(fields?["metadata.key"], equals: text)
        expect(fields?["metadata.\(text)"], equals: "value")
    }

    @Test("explanations and the descriptions of matchers escape what errors say of themselves")
    func otherTexts() {
        let error = Zoo.Localized(errorDescription: "a\nb\u{2028}c")
        expectOneLine("\(ErrorMatcher.value(error))")
        let explanation = ErrorHandler().ignore(matching: .any).explain(error).description
        expect(explanation.unicodeScalars.filter { $0 == "\n" }.count, equals: 1)
        #expect(!explanation.unicodeScalars.contains("\u{2028}"))
    }

    // MARK: Redaction

    @Test("redaction replaces the message and each value of the metadata, and nothing else")
    func redaction() {
        let report = report(
            NSError(domain: "bank", code: 3, userInfo: [NSLocalizedDescriptionKey: "IBAN DE12"]),
            metadata: ["iban": "DE12", "order": "17"], scope: ["intake"]
        )
        let line = ErrorLine(report) { text, field in
            switch field {
            case .message: "message of \(text.count)"
            case .metadata("iban"): "…"
            case .metadata: text
            }
        }
        expect(
            line.text,
            equals: #"failure type=\#(String(reflecting: NSError.self)) message="message of 9" domain=bank code=3 "#
                + #"source=Intake/Main.swift:12 scope=intake metadata.iban="…" metadata.order="17""#
        )
    }

    @Test("redaction sees texts as they are, before anything in them is escaped")
    func redactionBeforeEscaping() {
        let trace = ActionTrace()
        let report = report(Zoo.Localized(errorDescription: "a\n\"b\""), metadata: ["k": "c\\\n"])
        let line = ErrorLine(report) { text, _ in
            _ = trace(text)
            return text
        }
        expect(trace.entries, equals: ["a\n\"b\"", "c\\\n"])
        expectOneLine(line.text)
    }

    @Test("redaction gets the keys of the metadata as they were posted")
    func redactionKeys() {
        let trace = ActionTrace()
        _ = ErrorLine(report(Zoo.Offline(), metadata: ["order": "1", "user id": "2", "a\nb": "3"])) { text, field in
            if case .metadata(let key) = field { _ = trace(key) }
            return text
        }
        expect(Set(trace.entries), equals: ["order", "user id", "a\nb"])
    }

    @Test("what a redaction returns is escaped as well", arguments: hostileTexts)
    func redactedTextIsEscaped(hostile: HostileText) {
        let line = ErrorLine(report(Zoo.Offline(), metadata: ["k": "v"])) { _, _ in hostile.text }
        expectOneLine(line.text)
        expect(ErrorLineFields(line.text)?.keys, equals: ["type", "message", "source", "metadata.k"])
    }

    private func expectMessage(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let line = line(Zoo.Localized(errorDescription: text))
        expectOneLine(line, sourceLocation: sourceLocation)
        let fields = ErrorLineFields(line)
        #expect(fields?.keys == ["type", "message", "source"], sourceLocation: sourceLocation)
        #expect(fields?["message"] == text, sourceLocation: sourceLocation)
    }

    private func expectOneLine(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let breaking = line.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: scalar.properties.isBidiControl
            }
        }
        #expect(breaking.isEmpty, sourceLocation: sourceLocation)
    }
}
