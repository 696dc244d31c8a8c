import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("A report's trail lists the errors under its error", .tags(.behaviour9, .behaviour24))
struct ErrorTrailTests {}

extension ErrorTrailTests {
    private typealias Step = ErrorReport.TrailStep

    private static func report(_ error: any Error) -> ErrorReport {
        ErrorReport(error: error, source: .init(fileID: "Intake/Main.swift", line: 12))
    }

    /// Errors under errors, two and one deep.
    private static let nested = Zoo.Group(underlyingErrors: [
        Zoo.Wrapped(content: Zoo.Localized(errorDescription: "no paper")), Zoo.Timeout(seconds: 5),
    ])

    @Test(
        "it has the underlying errors from the outside in, with type, message and fingerprint, without the error itself"
    )
    func steps() {
        let trail = Self.report(Self.nested).trail
        expect(
            trail.map(\.typeName),
            equals: [
                "ErrorRoutingTests.Zoo.Wrapped", "ErrorRoutingTests.Zoo.Timeout", "ErrorRoutingTests.Zoo.Localized",
            ])
        expect(trail.map(\.message).suffix(2), equals: ["Timeout(seconds: 5)", "no paper"])
        expect(trail.map(\.fingerprint).last, equals: "ErrorRoutingTests.Zoo.Localized")
        expect(trail.map(\.description).last, equals: "ErrorRoutingTests.Zoo.Localized: no paper")
        expect(
            trail, equals: trail.map { Step(typeName: $0.typeName, message: $0.message, fingerprint: $0.fingerprint) })
    }

    @Test("an error with nothing under it has no trail")
    func none() {
        #expect(Self.report(Zoo.Offline()).trail.isEmpty)
        #expect(Self.report(NSError(domain: "d", code: 1)).trail.isEmpty)
    }

    @Test("an NSError's trail has what its keys say, in its own words")
    func nsErrors() {
        let inner = NSError(domain: "inner", code: 2, userInfo: [NSLocalizedDescriptionKey: "no toner"])
        let middle = NSError(domain: "middle", code: 1, userInfo: [NSUnderlyingErrorKey: inner])
        let outer = NSError(domain: "outer", code: 0, userInfo: ["NSMultipleUnderlyingErrorsKey": [middle, inner]])
        let trail = Self.report(outer).trail
        // The same object once, where it is met first.
        expect(trail.count, equals: 2)
        expect(trail.last?.message, equals: "no toner")
        #expect(trail.allSatisfy { $0.typeName == String(reflecting: NSError.self) })
    }

    @Test("an action's failure has what was thrown, and not the error that the action was handling")
    func actionFailures() async {
        let outcome = await ErrorHandler().on(Zoo.Timeout.self) { _ in throw Zoo.Offline() }.handle(Zoo.Timeout())
        expect(
            outcome.failures.map { Self.report($0).trail.map(\.typeName) }, equals: [["ErrorRoutingTests.Zoo.Offline"]])
    }

    @Test("it visits what anywhere visits, in that order", arguments: 501...503 as ClosedRange<UInt64>)
    func likeAnywhere(seed: UInt64) {
        var generator = LinearReading.Generator(seed: seed)
        var longest = 0
        for _ in 0..<300 {
            let error = LinearReading.error(generator.error())
            let visited = Journal<String>()
            let all = ErrorMatcher.anywhere(
                .predicate { error in
                    visited.note(String(reflecting: type(of: error)))
                    return false
                })
            expectNil(all.match(error))
            let trail = Self.report(error).trail.map(\.typeName)
            expect(trail, equals: Array(visited.entries.dropFirst()))
            guard trail == Array(visited.entries.dropFirst()) else { return }
            longest = max(longest, trail.count)
        }
        // 64 at most, the error itself included.
        expect(longest, equals: 63)
    }

    @Test("errors in a circle have an end")
    func cycle() {
        final class Circular: UnderlyingErrors {
            let next = Locked<[any Error]>([])
            var underlyingErrors: [any Error] { next.withLock { $0 } }
        }
        let (one, other) = (Circular(), Circular())
        one.next.withLock { $0 = [other] }
        other.next.withLock { $0 = [one] }
        expect(Self.report(one).trail.count, equals: 1)
        one.next.withLock { $0 = [] }
    }

    @Test("the default preset prints it in one field, and only where there is one")
    func printed() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            await ErrorHandler.default.handle(ErrorTrailTests.report(ErrorTrailTests.nested))
            await ErrorHandler.default.handle(ErrorTrailTests.report(Zoo.Offline()))
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.count, equals: 2)
        let trail = try #require(lines.first??["trail"])
        #expect(trail.hasPrefix("ErrorRoutingTests.Zoo.Wrapped: "))
        #expect(
            trail.hasSuffix(
                " < ErrorRoutingTests.Zoo.Timeout: Timeout(seconds: 5) < ErrorRoutingTests.Zoo.Localized: no paper"))
        expect(lines.last??.keys, equals: ["type", "message", "source"])
    }

    @Test("redaction applies to what each of its errors says, not to the types")
    func redacted() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let handler = ErrorHandler.standardError { text, field in field == .message ? "…" : text }
            await handler.handle(ErrorTrailTests.report(ErrorTrailTests.nested))
        }
        let names = ["Wrapped", "Timeout", "Localized"].map { "ErrorRoutingTests.Zoo.\($0): …" }
        let lines = result.standardErrorLines
        expect(lines.first.flatMap { ErrorLineFields($0)?["trail"] }, equals: names.joined(separator: " < "))
        #expect(lines.allSatisfy { !$0.contains("no paper") && !$0.contains("seconds") })
    }

    @Test("whatever errors under the error say of themselves, one error is one line")
    func hostile() {
        let texts = ["a\nb", "\u{1B}[31m", #"" fake="1"#, "a\u{2028}b", "\u{202E}", " < fake: step"]
        let inner = texts.map { Zoo.Localized(errorDescription: $0) }
        let line = "\(Self.report(Zoo.Group(underlyingErrors: inner)))"
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\u{2028}" && $0 != "\u{202E}" })
        let fields = ErrorLineFields(line)
        expect(fields?.keys, equals: ["type", "message", "source", "trail"])
        let expected = texts.map { "ErrorRoutingTests.Zoo.Localized: \($0)" }.joined(separator: " < ")
        expect(fields?["trail"], equals: expected)
    }
}
