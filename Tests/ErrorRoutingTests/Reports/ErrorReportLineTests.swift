import Foundation
import TestSupport
import Testing

// A line with a redaction is internal: the public API only writes it to standard error.
@testable import ErrorRouting

@Suite("The default preset prints one error as one line of fields", .tags(.promise24, .promise25), .hangLimit)
struct ErrorReportLineTests {}

extension ErrorReportLineTests {
    struct Coded: CustomNSError, LocalizedError {
        static let errorDomain = "zoo coded"
        var errorCode = 9
        var errorDescription: String? { "it is coded" }
    }

    struct Generic<First, Second>: Error {}

    private struct Hidden: Error {}

    private struct Kind: ErrorDetailsProviding {
        let errorDetails: ErrorDetails
    }

    /// External strings that try to escape from their field.
    private static let hostileTexts = [
        "", " ", "a\nb", "a\r\nb", "\n\n\n", "a\tb", "nul\0nul", "a\u{2028}b\u{2029}c", "a\u{85}b", "a\u{B}b\u{C}c",
        "\u{1B}[31mred\u{1B}[0m", "\u{9B}31m", "\u{8}\u{7F}", "abc\u{202E}fed\u{202C}", "\u{2066}x\u{2069}", "\u{200F}",
        #"" source=Fake.swift:1 x=""#, #"back\slash"#, #"\"#, #"\""#, #"\n"#, "a=b", "e\u{301}",
        "👩‍👩‍👧", "🇩🇪", "\u{200B}\u{E0041}", "a\u{200D}\u{200D}", String(repeating: "long\n", count: 2_000),
        // Here the quotation mark and the next scalar form one character.
        "\"\u{301} fake=1", "\\\u{301}", "\"\u{FE0F}",
    ]

    private static func shown(_ text: String) -> String {
        text.unicodeScalars.prefix(120).map { $0.escaped(asASCII: true) }.joined()
    }

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

    @Test("it has type, message, and source and, if there are any, scope, metadata in key order, and occurrences")
    func plain() {
        expect(
            line(Zoo.Timeout(seconds: 5)),
            equals: #"failure type=ErrorRoutingTests.Zoo.Timeout message="Timeout(seconds: 5)" "#
                + "source=Intake/Main.swift:12"
        )
        let text = line(
            Zoo.Offline(), metadata: ["order": "17", "eta": "a b"], scope: ["intake", "xml"], occurrences: 3)
        expect(
            text,
            equals: #"failure type=ErrorRoutingTests.Zoo.Offline message="Offline()" source=Intake/Main.swift:12 "#
                + #"scope=intake/xml metadata.eta="a b" metadata.order="17" occurrences=3"#
        )
    }

    @Test("it has domain and code if the error has its own")
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

    @Test(
        "the message is a LocalizedError's or an NSError's, or otherwise Swift's; a coding error's has its path"
    )
    func messages() throws {
        expect(message(Zoo.Localized(errorDescription: "no paper")), equals: "no paper")
        expect(message(Zoo.Localized()), equals: "Localized(errorDescription: nil)")
        expect(message(Coded()), equals: "it is coded")
        expect(message(Zoo.Payment.declined(code: 51)), equals: "declined(code: 51)")
        let described = NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "no toner"])
        expect(message(described), equals: "no toner")
        expect(message(NSError(domain: "d", code: 1))?.contains("d error 1"), equals: true)
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode([[String: Int]].self, from: Data(#"[{"amount": "x"}]"#.utf8))
        }
        expect(message(error)?.contains("amount"), equals: true)
    }

    @Test("the type is named with its module and enclosing types, and stays separate from the next field")
    func typeNames() {
        expect(ErrorLineFields(line(Zoo.Box(content: 1)))?["type"], equals: "ErrorRoutingTests.Zoo.Box<Swift.Int>")
        expect(ErrorLineFields(line(CancellationError()))?["type"], equals: "Swift.CancellationError")
        let generic = ErrorLineFields(line(Generic<Int, String>()))
        expect(generic?.keys, equals: ["type", "message", "source"])
        expect(generic?["type"]?.hasSuffix("Generic<Swift.Int, Swift.String>"), equals: true)
        expect(ErrorLineFields(line(Hidden()))?.keys, equals: ["type", "message", "source"])
    }

    @Test("one error is one line, whatever its message, metadata, scope, and domain contain, and each can be read back")
    func hostile() {
        for text in Self.hostileTexts {
            let message = line(Zoo.Localized(errorDescription: text))
            expectOneLine(message)
            expect(ErrorLineFields(message)?.keys, equals: ["type", "message", "source"], "\(Self.shown(text))")
            expect(ErrorLineFields(message)?["message"], equals: text, "\(Self.shown(text))")

            let error = NSError(domain: text, code: 1, userInfo: [NSLocalizedDescriptionKey: "message"])
            let line = line(error, metadata: ["key": text, text: "value"], scope: [text])
            expectOneLine(line)
            let fields = ErrorLineFields(line)
            expect(fields?.keys.count, equals: 8, "\(Self.shown(text))")
            let values = ["domain", "scope", "metadata.key", "metadata.\(text)"].map { fields?[$0] }
            expect(values, equals: [text, text, text, "value"], "\(Self.shown(text))")

            let kind = self.line(Kind(errorDetails: ErrorDetails(kind: text)))
            expectOneLine(kind)
            expect(ErrorLineFields(kind)?["kind"], equals: text, "\(Self.shown(text))")
        }
    }

    @Test("an application's role is one word of the line, with and without a redaction")
    func hostileRole() {
        for text in Self.hostileTexts where text != "" {
            let role = ErrorReport.Role("x " + text)
            let report = ErrorReport(error: Zoo.Offline(), role: role, source: .init(fileID: "A/B.swift", line: 1))
            for line in [report.structuredLine(), report.structuredLine { _ in "redacted" }] {
                expectOneLine(line)
                #expect(line.hasPrefix("\"x ") && line.contains("\" type="), "\(Self.shown(line))")
            }
        }
    }

    // MARK: Redaction

    @Test("redaction replaces message, code, metadata, and underlying errors with a string; type and source stay")
    func redaction() {
        let report = report(
            NSError(domain: "bank", code: 3, userInfo: [NSLocalizedDescriptionKey: "IBAN DE12"]),
            metadata: ["iban": "DE12", "order": "17"], scope: ["intake"]
        )
        let line = report.structuredLine { "order \($0.metadata["order"] ?? "")" }
        expect(
            line,
            equals: #"failure type=\#(String(reflecting: NSError.self)) message="order 17" source=Intake/Main.swift:12"#
        )
    }

    @Test("a redaction's result is escaped too")
    func redactedTextIsEscaped() {
        for text in Self.hostileTexts {
            let line = report(Zoo.Offline(), metadata: ["k": "v"]).structuredLine { _ in text }
            expectOneLine(line)
            let keys = ErrorLineFields(line)?.keys
            expect(keys, equals: ["type", "message", "source"], "\(Self.shown(text))")
        }
    }

    private func expectOneLine(_ line: String) {
        let breaking = line.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: scalar.properties.isBidiControl
            }
        }
        #expect(breaking.isEmpty, "\(Self.shown(line))")
    }
}
