import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("A report's trail lists the underlying errors of its error", .tags(.promise9, .promise24), .hangLimit)
struct ErrorTrailTests {}

extension ErrorTrailTests {
    private static func report(_ error: any Error) -> ErrorReport {
        ErrorReport(error: error, source: .init(fileID: "Intake/Main.swift", line: 12))
    }

    /// Errors with underlying errors, two levels deep and one level deep.
    private static let nested = Zoo.Group(underlyingErrors: [
        Zoo.Wrapped(content: Zoo.Localized(errorDescription: "no paper")), Zoo.Timeout(seconds: 5),
    ])

    @Test(
        "it has the underlying errors from the outside in, with type, message, and fingerprint, but not the error"
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
    }

    @Test("an error without underlying errors has no trail, and an error that contains itself has a finite trail")
    func none() {
        final class Circular: UnderlyingErrorsProviding {
            let next = Locked<[any Error]>([])
            var underlyingErrors: [any Error] { next.withLock { $0 } }
        }
        expect(Self.report(Zoo.Offline()).trail, equals: [])
        expect(Self.report(NSError(domain: "d", code: 1)).trail, equals: [])
        let (one, other) = (Circular(), Circular())
        one.next.withLock { $0 = [other] }
        other.next.withLock { $0 = [one] }
        expect(Self.report(one).trail.count, equals: 1)
        one.next.withLock { $0 = [] }
    }

    @Test("an NSError's trail has the errors under its keys, with their own strings")
    func nsErrors() {
        let inner = NSError(domain: "inner", code: 2, userInfo: [NSLocalizedDescriptionKey: "no toner"])
        let middle = NSError(domain: "middle", code: 1, userInfo: [NSUnderlyingErrorKey: inner])
        let outer = NSError(domain: "outer", code: 0, userInfo: ["NSMultipleUnderlyingErrorsKey": [middle, inner]])
        let trail = Self.report(outer).trail
        // The same object appears once, at its first position.
        expect(trail.count, equals: 2)
        expect(trail.last?.message, equals: "no toner")
        expect(trail.map(\.typeName), equals: ["Foundation.NSError", "Foundation.NSError"])
    }

    @Test("it contains the errors that anywhere visits, in that order")
    func likeAnywhere() {
        var generator = LinearReading.Generator(seed: 501)
        var longest = 0
        for _ in 0..<900 {
            let error = LinearReading.error(generator.error())
            let visited = Journal<String>()
            let all = ErrorMatcher.anywhere(
                .predicate { error in
                    visited.note(Self.report(error).typeName)
                    return false
                })
            expectNil(all.match(error))
            let trail = Self.report(error).trail.map(\.typeName)
            expect(trail, equals: Array(visited.entries.dropFirst()))
            guard trail == Array(visited.entries.dropFirst()) else { return }
            longest = max(longest, trail.count)
        }
        // There are at most 64 errors, including the error itself.
        expect(longest, equals: 63)
    }

    /// An error that counts how often its mirror is read.
    private struct Mirrored: Error, CustomReflectable {
        let style: Mirror.DisplayStyle?
        let reads = Journal<Int>()

        var customMirror: Mirror {
            reads.note(1)
            let children: [Any] = [Zoo.Timeout(seconds: 1), (2, Zoo.Timeout(seconds: 2)), [Zoo.Timeout(seconds: 3)]]
            return Mirror(self, unlabeledChildren: children, displayStyle: style)
        }
    }

    @Test("message and trail are the same read together or separately, and the error is reflected once")
    func together() {
        var generator = LinearReading.Generator(seed: 502)
        let mirrored: [Mirror.DisplayStyle?] = [.struct, .enum, .tuple, .collection, .set, .optional, nil]
        var errors = mirrored.map { Mirrored(style: $0) as any Error }
        errors += (0..<300).map { _ in LinearReading.error(generator.error()) }
        errors += UnderlyingErrorWalkTests.shapes.map { $0.error() }
        for error in errors {
            let report = Self.report(error)
            let texts = report.texts
            if let reads = (error as? Mirrored)?.reads { expect(reads.entries.count, equals: 1) }
            expect(texts.message, equals: report.message)
            expect(texts.trail, equals: report.trail)
            expect(
                [texts.typeName, texts.kindName, texts.fingerprint],
                equals: [report.typeName, report.kindName, report.fingerprint])
            #expect(texts.domainAndCode.map { "\($0)" } == report.domainAndCode.map { "\($0)" })
        }
    }

    @Test("the default preset prints the trail in one field, only if there is one, and not if strings are redacted")
    func printed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            await ErrorHandler.default.handle(ErrorTrailTests.report(ErrorTrailTests.nested))
            await ErrorHandler.default.handle(ErrorTrailTests.report(Zoo.Offline()))
            let redacting = ErrorHandler.standardError { "\($0.trail.count) under it" }
            await redacting.handle(ErrorTrailTests.report(ErrorTrailTests.nested))
        }
        let lines = result.standardErrorLines
        let trails = lines.map { ErrorLineFields($0)?["trail"] }
        let types = ["Wrapped", "Timeout", "Localized"].map { "ErrorRoutingTests.Zoo.\($0): " }
        expect(trails.count, equals: 3)
        expect(trails.first??.hasPrefix(types[0]), equals: true)
        expect(trails.first??.hasSuffix(" < \(types[1])Timeout(seconds: 5) < \(types[2])no paper"), equals: true)
        expect(Array(trails.dropFirst()), equals: [nil, nil])
        expect(lines.last.flatMap { ErrorLineFields($0)?["message"] }, equals: "3 under it")
    }

    @Test("whatever the descriptions of underlying errors contain, one error is one line")
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
