import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording
@testable import ErrorReplay

@Suite(
    "E3 and E4: recorded errors are rebuilt, and replayed with other rules", .tags(.recording3, .recording4),
    .hangLimit)
struct ReplayTests {
    private let rebuilding = RebuildableErrors().adding(Order.self)

    /// Returns the lines of errors that a bus handled with the rules.
    private func lines(
        _ rules: ErrorHandler, scopes: [String: ErrorHandler] = [:], _ errors: [(scope: String?, error: any Error)]
    ) async throws -> [Substring] {
        let folder = try TemporaryFolder()
        let recorder = try ErrorRecorder(
            path: folder.file, configuration: .init(host: "here"), rebuilding: rebuilding)
        await withErrorBus(handler: rules) { bus in
            bus.observeUntilEnd { recorder.record($0) }
            for (name, error) in errors {
                guard let name else {
                    bus.post(error)
                    continue
                }
                bus.scope(name, handler: scopes[name] ?? .init()).post(error)
            }
        }
        await recorder.close(within: longTime)
        return try RecordedFile(folder).lines
    }

    private func lines(_ rules: ErrorHandler, _ errors: any Error...) async throws -> [Substring] {
        try await lines(rules, errors.map { (nil, $0) })
    }

    private func replay(
        _ lines: [Substring], _ rules: ErrorHandler, scopes: [String: ErrorHandler] = [:]
    ) -> Replay {
        var replay = Replay(rules: rules, scopes: scopes, rebuilding: rebuilding)
        for line in lines { replay.add(line) }
        return replay
    }

    private func rules(line: UInt, file: String = "Shop/Rules.swift") -> ErrorHandler {
        ErrorHandler()
            .on(Order.self, fileID: file, line: line) { _ in .stop }
            .on(Order.late, fileID: file, line: line + 1) { _ in .stop }
            .ignore(domain: NSPOSIXErrorDomain, fileID: file, line: line + 2)
    }
}

extension ReplayTests {
    @Test func `with the same rules nothing changes, even if they have moved within their file`()
        async throws
    {
        let lines = try await lines(
            rules(line: 10), Order.late, Order.overLimit(cents: 5), POSIXError(.ENOENT), NSError(domain: "d", code: 1),
            URLError(.timedOut), CocoaError(.fileNoSuchFile), NSError(domain: NSPOSIXErrorDomain, code: 2))
        for line: UInt in [10, 50] {
            let replay = replay(lines, rules(line: line))
            expect(replay.unchanged, equals: 7, "\(replay)")
            #expect(replay.differences.isEmpty)
            #expect(replay.notRebuilt.isEmpty)
        }
    }

    @Test func `the library's own errors and cancellations are rebuilt without adding their types`() async throws {
        struct Gone: Error {}
        let rule = RuleDescription(matcher: "type(Order)", source: .init(fileID: "Shop/Rules.swift", line: 3))
        func failure(_ error: any Error, of handled: any Error = Order.late) -> ActionFailure {
            let report = ErrorReport(error: handled, source: .init(), metadata: ["card": "secret"], scope: ["shop"])
            return ActionFailure(error: error, report: report, rule: rule)
        }
        // Nest it deeper than the limit for encoded errors.
        let deep = (1...8).reduce(failure(Order.late)) { deep, _ in failure(deep) }
        let rules = ErrorHandler()
            .on(CancellationError.self) { _ in .stop }
            .on(matching: .type(ErrorsDropped.self).where { $0.byType["Shop.Error"] == 2 }.named("two")) { _ in .stop }
            .on(matching: .anywhere(.value(Order.late))) { _ in .stop }
            .on(matching: .anywhere(.type(URLError.self))) { _ in .stop }
            .on(matching: .type(ActionFailure.self).where { "\($0.rule)" == "\(rule)" }.named("ours")) { _ in .next }
        let lines = try await lines(
            rules, CancellationError(), ErrorsDropped(count: 2, byType: ["Shop.Error": 2]),
            ActionTimeLimitExceeded(limit: .seconds(3)), failure(Order.late), failure(URLError(.timedOut)),
            // The error that the action was handling needn't be rebuilt, but the error that it threw must be.
            failure(ActionTimeLimitExceeded(limit: .seconds(3)), of: Gone()), failure(Gone()),
            failure(failure(Order.late)), deep)
        #expect(!lines.contains { $0.contains("secret") && !$0.contains(#""metadata":{"card":"secret"}"#) })
        let replay = replay(lines, rules)
        expect(replay.unchanged, equals: 7, "\(replay)")
        expect(replay.notRebuilt, equals: ["ErrorRouting.ActionFailure": 2])
        #expect(replay.differences.isEmpty)
    }

    @Test func `a rule that is gone, new, or now ignores is a difference, shown with both rules and their lines`()
        async throws
    {
        let lines = try await lines(rules(line: 10), Order.late, Order.overLimit(cents: 5), Order.overLimit(cents: 6))
        let changed = ErrorHandler()
            .on(Order.self, fileID: "Shop/Rules.swift", line: 10) { _ in .stop }
            .ignore(Order.overLimit(cents: 5), fileID: "Shop/New.swift", line: 3)
        let replay = replay(lines, changed)
        let type = "RecordingSupport.Order"
        expect(replay.unchanged, equals: 1)
        expect(
            replay.differences,
            equals: [
                .init(
                    type: type, before: "handled by value(Order.late) at Shop/Rules.swift:11",
                    after: "handled by type(Order) at Shop/Rules.swift:10"): 1,
                .init(
                    type: type, before: "handled by type(Order) at Shop/Rules.swift:10",
                    after: "ignored by value(Order.overLimit(cents: 5)) at Shop/New.swift:3"): 1,
            ])
        let nothing = self.replay(lines, ErrorHandler())
        expect(nothing.differences.keys.map(\.after), equals: ["unmatched", "unmatched"])
        let ignoring = ErrorHandler().ignore(Order.self, fileID: "Shop/Rules.swift", line: 10)
        expect(self.replay(lines, ignoring).differences.values.reduce(0, +), equals: 3)
    }

    @Test func `a rule in another file is a different rule, and so is each of two rules that look alike`() async throws
    {
        let lines = try await lines(rules(line: 10), Order.overLimit(cents: 5))
        expect(replay(lines, rules(line: 10, file: "Shop/Other.swift")).differences.count, equals: 1)
        let twice = rules(line: 100).overlaid(with: rules(line: 200))
        expect(replay(lines, twice).differences.count, equals: 1)
        expect(replay(lines, rules(line: 10).overlaid(with: rules(line: 200))).differences.count, equals: 1)
        expect(replay(lines, rules(line: 200).overlaid(with: rules(line: 10))).unchanged, equals: 1)
    }

    @Test func `no action runs: each returns what was recorded, so the n-th match ends the handling`() async throws {
        let rules = rules(line: 10)
            .on(matching: .any.named("log"), fileID: "Shop/Log.swift", line: 1) { _ in .next }
        let lines = try await lines(rules, Order.late, Order.overLimit(cents: 1), Plain(number: 1))
        expect(try JSONDecoder().decode(ErrorRecord.self, from: Data(lines[0].utf8)).matchedRuleCount, equals: 2)
        let replay = replay(lines, rules)
        expect(replay.unchanged, equals: 3)
        // Without the first rule, the second match is the rule that came third before.
        let without = self.replay(lines, self.rules(line: 10))
        expect(
            Set(without.differences.map(\.key.after)),
            equals: ["handled by type(Order) at Shop/Rules.swift:10", "unmatched"])
        let fatal = ErrorHandler().on(Order.self) { _ in fatalError("an action ran") }
            .onNoMatch { _ in fatalError("an action ran") }
            .always { _ in fatalError("an action ran") }
        expect(self.replay(lines, fatal).differences.values.reduce(0, +), equals: 3)
    }

    @Test func `rules of scopes are evaluated as their bus evaluates them, at any depth`() async throws {
        let pay = ErrorHandler().on(Order.late, fileID: "Shop/Pay.swift", line: 1) { _ in .stop }
        let lines = try await lines(rules(line: 10), scopes: ["pay": pay], [("pay", Order.late), (nil, Order.late)])
        expect(replay(lines, rules(line: 10), scopes: ["pay": pay]).unchanged, equals: 2)
        let without = replay(lines, rules(line: 10))
        expect(without.unchanged, equals: 1)
        expect(without.differences.keys.map(\.before), equals: ["handled by value(Order.late) at Shop/Pay.swift:1"])
        var record = try JSONDecoder().decode(ErrorRecord.self, from: Data(lines[0].utf8))
        record.scope = ["shop", "pay", "card"]
        var deep = Replay(rules: rules(line: 10), scopes: ["shop/pay": pay], rebuilding: rebuilding)
        deep.add(String(decoding: RecordLine(record).bytes, as: UTF8.self))
        expect(deep.unchanged, equals: 1)
    }

    @Test func `an error that can't be rebuilt is compared if the rules need only its names`() async throws {
        struct Gone: Error, CancellationConvertible { let isCancellation: Bool }
        let file = "Shop/Rules.swift"
        func rules(_ line: UInt) -> ErrorHandler {
            ErrorHandler.standardError
                .on(matching: .anywhere(.type(Sized.self)), fileID: file, line: line) { _ in .stop }
                .on(Plain.self, fileID: file, line: line + 1) { _ in .stop }
                .on(domain: "d", code: 3, fileID: file, line: line + 2) { _ in .stop }
                .on(Order.late, fileID: file, line: line + 3) { _ in .stop }
        }
        let under = NSError(domain: "d", code: 4, userInfo: [NSUnderlyingErrorKey: Sized(length: 1)])
        let coded = NSError(domain: "d", code: 3, userInfo: [NSUnderlyingErrorKey: Sized(length: 1)])
        let lines = try await lines(
            rules(10), Plain(number: 1), Sized(length: 1), under, coded, Gone(isCancellation: true),
            Gone(isCancellation: false))
        #expect(lines.map { $0.contains(#","cancellation":true,"#) } == [false, false, false, false, true, false])
        let same = replay(lines, rules(50))
        expect(same.unchanged, equals: 6, "\(same)")
        // A predicate before the recorded rule decides, and is named. A predicate after that rule isn't called.
        let added = rules(50).on(matching: .type(Plain.self).where { $0.number == 1 }, fileID: file, line: 90) { _ in
            .stop
        }
        let undecided = replay(lines, added)
        expect(undecided.unchanged, equals: 5)
        expect(
            undecided.notJudged,
            equals: [
                .init(type: "RecordingSupport.Plain", rule: "type(Plain).where(predicate) at Shop/Rules.swift:90"): 1
            ])
        #expect(
            undecided.description.contains("          asked by: type(Plain).where(predicate) at Shop/Rules.swift:90"))
        let later = ErrorHandler().on(matching: .predicate { _ in true }) { _ in .stop }.overlaid(with: rules(50))
        expect(replay(lines, later).unchanged, equals: 5, "all but the one that no rule matched")
    }

    @Test func `an error that would change isn't rebuilt, and the table gives advice`() async throws {
        let added = ErrorHandler().on(matching: .predicate { _ in false }) { _ in .stop }
        struct Outer: Error, Codable, UnderlyingErrorsProviding {
            var underlyingErrors: [any Error] { [Order.late] }
        }
        let under = NSError(domain: "outer", code: 1, userInfo: [NSUnderlyingErrorKey: Order.late])
        let lines = try await lines(ErrorHandler(), under, Plain(number: 1), Outer())
        let replay = replay(lines, added)
        expect([replay.unchanged, replay.notRebuilt.values.reduce(0, +)], equals: [0, 3])
        let text = replay.description
        #expect(
            text.contains(
                "RecordingSupport.Plain: make it Codable, and record with RebuildableErrors().adding(Plain.self)"))
        #expect(text.contains("NSError: errors under it, or a code that is not known here, cannot be rebuilt"))
        // A type that has changed since then, and a value that wasn't recorded.
        var changed = try await self.lines(ErrorHandler(), Order.late).map {
            $0.replacing(#"\"late\""#, with: #"\"soon\""#)
        }
        changed += changed.map { $0.replacing(#","value":"{\"soon\":{}}""#, with: "") }
        let others = self.replay(changed.map { Substring($0) }, added)
        expect(others.notRebuilt, equals: ["RecordingSupport.Order": 2])
        #expect(others.description.contains("its value was not recorded, or comes out as another error"))
    }

    @Test(.onLinux("on Darwin a boxed POSIXError is an NSError"))
    func `Foundation's errors are rebuilt even if its modules had other names where they were recorded`() async throws {
        // Use a code that `URLError` doesn't know on Linux, and a code without a Swift type.
        let recorded = try await lines(
            rules(line: 10), POSIXError(.ENOENT), NSError(domain: NSPOSIXErrorDomain, code: 2),
            NSError(domain: NSURLErrorDomain, code: -987_654), NSError(domain: "d", code: 1))
        for name in ["Foundation.", "FoundationEssentials.", "__C.", "", "Foundation.NSError\",\"was\":\""] {
            let lines = recorded.map { Substring($0.replacing(#""type":"Foundation."#, with: "\"type\":\"\(name)")) }
            let replay = replay(lines, rules(line: 10))
            expect(replay.unchanged, equals: 4, "\(name): \(replay)")
        }
        let own = recorded.map { Substring($0.replacing(#""type":"Foundation."#, with: #""type":"Shop."#)) }
        let judged = replay(own, rules(line: 10))
        expect(judged.unchanged, equals: 4, "by their domains: \(judged)")
    }

    @Test func `broken lines and other JSON are unreadable; empty lines are skipped`() async throws {
        let line = try #require(try await lines(ErrorHandler(), Order.late).first)
        let all: [Substring] = [line.prefix(40), "", "\r", "{}", "[1]", "\u{0}", " \t", line]
        let replay = replay(all, ErrorHandler())
        expect(
            replay.description, equals: "1 unchanged, 0 different, 0 not judged, 0 never delivered, 4 unreadable lines"
        )
    }

    @Test func `a line from a later version is counted, and read as far as possible; an earlier one is unreadable`()
        async throws
    {
        let line = try #require(try await lines(ErrorHandler(), Order.late).first)
        let later = line.replacing(#""version":1"#, with: #""more":{"a":[1,null]},"version":2"#)
            .replacing(#","message":"late""#, with: "")
        let earlier = line.replacing(#""version":1"#, with: #""version":0"#)
        let changed = later.replacing(#""type":"#, with: #""kind":"#)
        let replay = replay([Substring(later), Substring(earlier), Substring(changed), line], ErrorHandler())
        expect([replay.unchanged, replay.ofLaterVersions, replay.unreadable], equals: [2, 1, 2])
        #expect(replay.description.contains("1 lines are of a later version, and read as far as they are known."))
    }

    @Test func `errors that were recorded undelivered have no rules to compare with`() async throws {
        let folder = try TemporaryFolder()
        let recorder = try ErrorRecorder(path: folder.file, rebuilding: rebuilding)
        let bus = ErrorBus(handler: rules(line: 10))
        bus.post(Order.late)
        for report in await bus.shutdown(within: .zero) { recorder.record(report) }
        expect(await recorder.close(within: longTime).written, equals: 1)
        expect(replay(try RecordedFile(folder).lines, rules(line: 10)).undelivered, equals: 1)
    }

    @Test func `the table is for people: the most frequent difference comes first`() async throws {
        let lines = try await lines(rules(line: 10), Order.overLimit(cents: 1), Order.late, Order.late)
        expect(
            replay(lines, ErrorHandler()).description,
            equals: """
                0 unchanged, 3 different, 0 not judged, 0 never delivered, 0 unreadable lines

                Different, the most frequent first:
                       2  RecordingSupport.Order
                          before: handled by value(Order.late) at Shop/Rules.swift:11
                          after:  unmatched
                          example: late (here, 2)
                       1  RecordingSupport.Order
                          before: handled by type(Order) at Shop/Rules.swift:10
                          after:  unmatched
                          example: overLimit(cents: 1) (here, 1)

                Reports before and after, by rules that have more or fewer:
                       1        0  handled by type(Order) at Shop/Rules.swift
                       2        0  handled by value(Order.late) at Shop/Rules.swift
                       0        3  unmatched
                """)
    }

    @Test func `errors are counted next to reports if one report represents several errors`() async throws {
        let lines = try await lines(rules(line: 10), Order.late, Order.overLimit(cents: 1))
        let many = lines.map { Substring($0.replacing(#""occurrences":1"#, with: #""occurrences":1000"#)) }
        let changed = rules(line: 10).ignore(Order.late, fileID: "Shop/New.swift", line: 1)
        let replay = replay(lines + many + many, changed)
        expect(replay.unchangedCount, equals: .init(reports: 3, occurrences: 2_001))
        expect(replay.changes.values.map(\.count), equals: [.init(reports: 3, occurrences: 2_001)])
        let rules = replay.rulesBeforeAndAfter
        expect(rules["handled by value(Order.late) at Shop/Rules.swift"]?.before.occurrences, equals: 2_001)
        expect(rules["handled by value(Order.late) at Shop/Rules.swift"]?.after.occurrences, equals: 0)
        expect(rules["ignored by value(Order.late) at Shop/New.swift"]?.after.reports, equals: 3)
        let type = "handled by type(Order) at Shop/Rules.swift"
        expect(rules[type]?.before, equals: rules[type]?.after)
        let text = replay.description
        #expect(text.contains("The reports stand for 2001 errors unchanged, 2001 different."))
        #expect(text.contains("       3  RecordingSupport.Order, 2001 errors\n"))
        // A file can contain any number, and the sum must still be valid.
        let claims = [Int.max, Int.min, 0].flatMap { claim in
            lines.map { Substring($0.replacing(#""occurrences":1"#, with: "\"occurrences\":\(claim)")) }
        }
        let bounded = self.replay(claims + claims, changed).unchangedCount
        expect(bounded, equals: .init(reports: 6, occurrences: 2 * (1 << 32) + 4))
    }

    @Test func `a terminal's control characters are escaped in the table`() async throws {
        let line = try #require(try await lines(rules(line: 10), Order.late).first)
        let hostile = line.replacing(#""host":"here""#, with: #""host":"\u001b[2J""#)
            .replacing(#""rule":"value(Order.late)""#, with: #""rule":"\u009b\u202e""#)
        let text = replay([Substring(hostile)], ErrorHandler()).description
        #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" || $0 == "\u{202E}" })
        #expect(text.contains(#"\u{1b}[2J"#))
    }
}
