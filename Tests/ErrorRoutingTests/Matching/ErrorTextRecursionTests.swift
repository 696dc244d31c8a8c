import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// While a string is being computed, the library's own lines don't compute it again.
@Suite("Promise 24: a string that reads itself doesn't recurse endlessly", .tags(.promise24), .hangLimit)
struct ErrorTextRecursionTests {}

extension ErrorTextRecursionTests {
    /// How often user code was called.
    final class Count: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func add() { count.add(1, ordering: .relaxed) }
    }

    /// An error whose description reads the library's string for that error.
    struct Narcissist: Error, CustomStringConvertible {
        let readCount = Count()
        let text: @Sendable (Self) -> String

        var description: String {
            readCount.add()
            return "<\(text(self))>"
        }
    }

    struct LocalizedNarcissist: LocalizedError {
        let readCount = Count()
        var errorDescription: String? {
            readCount.add()
            return "<\(ErrorReport(error: self, source: .init()).description)>"
        }
    }

    struct MirroredNarcissist: Error, CustomReflectable {
        let readCount = Count()
        var customMirror: Mirror {
            readCount.add()
            let text = "\(ErrorReport(error: self, source: .init()).trail) \(ErrorHandler().explain(self))"
            return Mirror(self, children: ["text": text], displayStyle: .struct)
        }
    }

    struct Coded: CustomNSError {
        let readCount = Count()
        var errorCode: Int {
            readCount.add()
            return ErrorReport(error: self, source: .init()).description.count
        }
    }

    struct Underlain: UnderlyingErrorsProviding {
        let readCount = Count()
        var underlyingErrors: [any Error] {
            readCount.add()
            return [Zoo.Localized(errorDescription: ErrorReport(error: self, source: .init()).description)]
        }
    }

    private static func report(_ error: any Error) -> ErrorReport { ErrorReport(error: error, source: .init()) }

    private static let name = "ErrorRoutingTests.ErrorTextRecursionTests.Narcissist"

    @Test("a description that reads its own report, underlying errors, explanation, or failure shows its type's name")
    func descriptions() {
        let handler = ErrorHandler().on(Narcissist.self) { _ in .next }
        let texts: [@Sendable (Narcissist) -> String] = [
            { Self.report($0).description },
            { "\(Self.report(Zoo.Wrapped(content: $0)).trail)" },
            { handler.explain($0).description },
            {
                ActionFailure(error: $0, report: Self.report($0), rule: .init(matcher: "m", source: .init()))
                    .description
            },
            { ErrorMap(default: $0).description },
            { "\(ErrorMatcher<Narcissist>(.value($0)) { _ in nil })" },
            { Self.report($0).structuredLine { $0.message } },
        ]
        for text in texts {
            let error = Narcissist(text: text)
            let line = Self.report(error).description
            #expect(line.contains(Self.name))
            #expect(error.readCount.value >= 2)
            #expect(error.readCount.value <= 64, "\(line)")
        }
    }

    @Test("below three nested strings only the type is named, on any thread; a long chain of strings ends too")
    func depth() async {
        let error = Narcissist { ErrorText.message(of: $0) }
        expect(ErrorText.message(of: error), equals: "<<<\(Self.name)>>>")
        expect(error.readCount.value, equals: 3)

        let far = Narcissist { Self.report($0).description }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = Self.report(far).description
                continuation.resume()
            }
        }
        expect(far.readCount.value, equals: 3)

        let broad = Narcissist { error in (0..<10).map { _ in ErrorText.message(of: error) }.joined() }
        #expect(ErrorText.message(of: broad).contains(Self.name))
        expect(broad.readCount.value, equals: 1 + 10 + 10 * 10)
        // Later strings are complete.
        expect(ErrorText.message(of: Zoo.Localized(errorDescription: "text")), equals: "text")
    }

    @Test("localized descriptions, mirrors, codes, and underlying errors that read themselves end too")
    func otherCode() {
        let (localized, mirrored, coded) = (LocalizedNarcissist(), MirroredNarcissist(), Coded())
        let underlain = Underlain()
        for error in [localized, mirrored, coded, underlain] as [any Error] {
            #expect(Self.report(error).description.utf8.count < 1_000_000)
        }
        for count in [localized.readCount, mirrored.readCount, coded.readCount, underlain.readCount] {
            #expect(count.value > 0 && count.value <= 1_025)
        }
    }

    @Test("a rule that explains its own error ends too")
    func explanations() {
        final class Rules: Sendable { let handler = Locked<ErrorHandler?>(nil) }
        let (rules, readCount) = (Rules(), Count())
        let handler = ErrorHandler().on(
            matching: .predicate { error in
                readCount.add()
                return rules.handler.withLock { $0 }?.explain(error).entries.isEmpty == false
            }
        ) { _ in .next }
        rules.handler.withLock { $0 = handler }
        expect(handler.explain(Zoo.Offline()).entries.map(\.verdict), equals: [.matched])
        expect(readCount.value, equals: 3)
        rules.handler.withLock { $0 = nil }
    }

    @Test(
        "a description that posts itself ends, as does a redaction that handles its own error; no extra line is printed"
    )
    func posting() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let error = Narcissist { error in
                postError(error, metadata: ["secret": "value"], fileID: "Intake/Main.swift", line: 3)
                return "text"
            }
            postError(error, fileID: "Intake/Main.swift", line: 1)
            precondition(error.readCount.value == 1)

            final class Rules: Sendable { let handler = Locked<ErrorHandler?>(nil) }
            let (rules, readCount) = (Rules(), Count())
            let handler = ErrorHandler.standardError { _ in
                readCount.add()
                _ = rules.handler.withLock { $0 }?.handleSynchronously(Zoo.Localized(errorDescription: "secret"))
                return "redacted"
            }
            rules.handler.withLock { $0 = handler }
            _ = handler.handleSynchronously(Zoo.Localized(errorDescription: "secret"))
            precondition(readCount.value == 3)
            rules.handler.withLock { $0 = nil }
        }
        // The last four are the redaction's.
        let lines = result.standardErrorLines
        expect(lines.count, equals: 6)
        #expect(lines.allSatisfy { !$0.contains("secret") })
        let inner = try #require(lines.first)
        #expect(inner.hasPrefix("failure type=\(Self.name) source=Intake/Main.swift:3 reason=\""))
        expect(ErrorLineFields(inner)?.keys, equals: ["type", "source", "reason"])
        expect(lines.dropFirst().first.flatMap { line in ErrorLineFields(line)?["message"] }, equals: "<text>")
    }
}
