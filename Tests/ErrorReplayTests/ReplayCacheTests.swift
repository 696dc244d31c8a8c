import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording
@testable import ErrorReplay

@Suite("E4: cached results change no verdict", .tags(.recording4), .hangLimit)
struct ReplayCacheTests {
    private let rebuilding = RebuildableErrors()
        .adding(Order.self).adding(Coded.self).adding(Lossy.self).adding(Holder.self).adding(Fields.self)

    /// An error with its own domain, and an underlying error.
    private struct Coded: Error, Codable, CustomNSError, UnderlyingErrorsProviding {
        static let errorDomain = "coded"
        let errorCode: Int
        let under: [Order]
        var underlyingErrors: [any Error] { under }
    }

    /// An error that is decoded as a different case from some values.
    private enum Lossy: Error, Codable {
        case seventh
        case number(code: Int)

        init(from decoder: any Decoder) throws {
            let code = try decoder.singleValueContainer().decode(Int.self)
            self = code.isMultiple(of: 7) ? .seventh : .number(code: code)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if case .number(let code) = self { try container.encode(code) } else { try container.encode(0) }
        }
    }

    /// An error that might have underlying errors, which depends on its value.
    private enum Holder: Error, Codable {
        case holds([Order])
        case plain(code: Int, text: String)
    }

    private struct Fields: Error, Codable {
        let number: Int
        var inner: Order?
    }

    /// Rules that need only the type for some errors.
    private func rulesByType(_ line: UInt) -> ErrorHandler {
        let file = "Shop/Rules.swift"
        return ErrorHandler()
            .on(Order.self, fileID: file, line: line) { _ in .next }
            .on(matching: !.type(Coded.self), fileID: file, line: line + 1) { _ in .stop }
            .on(domain: "coded", fileID: file, line: line + 2) { _ in .next }
            .ignore(domain: NSPOSIXErrorDomain, code: 2, fileID: file, line: line + 3)
            .ignore(Fields.self, fileID: file, line: line + 4)
            .on(matching: .type(Holder.self) && .anywhere(.value(Order.late)), fileID: file, line: line + 5) { _ in
                .stop
            }
    }

    private func rules(_ line: UInt, _ isOdd: @escaping @Sendable () -> Bool = { false }) -> ErrorHandler {
        let file = "Shop/Rules.swift"
        return ErrorHandler()
            .on(Order.self, fileID: file, line: line) { _ in .stop }
            .on(domain: "coded", code: 3, fileID: file, line: line + 1) { _ in .stop }
            .ignore(domain: NSPOSIXErrorDomain, code: 2, fileID: file, line: line + 2)
            .on(
                matching: .type(Order.self).where { $0 == .overLimit(cents: 7) && isOdd() }.named("odd"),
                fileID: file, line: line + 3
            ) { _ in .next }
            .on(matching: .anywhere(.value(Order.late)), fileID: file, line: line + 4) { _ in .next }
    }
}

/// Lines as recorders write them, and hostile lines.
private struct LineMaker {
    private var random: SplitMix64
    private let records: [ErrorRecord]

    init(seed: UInt64, _ records: [ErrorRecord]) {
        random = SplitMix64(seed: seed)
        self.records = records
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }

    private mutating func isRare(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

    mutating func line() -> [UInt8] {
        var record = pick(records)
        record.sequence = Int.random(in: 0...1_000_000, using: &random)
        record.occurrences = pick([1, 1, 1, 2, 400])
        record.firstTime = record.occurrences == 1 ? nil : pick([record.time, "été", ""])
        record.message = pick(["late", "\"\\", "\n\r\u{85}", "日本語 🙂", "", "\u{0}"])
        if isRare(50) { record.version = 2 }
        if isRare(6) { record.matchedRuleCount = pick([0, 1, 2, 3, -1]) }
        if isRare(8) { record.rule = pick([nil, "odd", "type(Order)", "été"]) }
        if isRare(8) { record.ruleSource = pick([nil, "Shop/Rules.swift:10", "Shop/Rules.swift:77", ":"]) }
        if isRare(8) { record.disposition = pick(["handled", "ignored", "unmatched", "dropped", "?"]) }
        if isRare(8) { record.scope = pick([[], ["pay"], ["shop", "pay"], ["pay", "card"], ["\"", ""]]) }
        if isRare(2), let number = record.value?.firstRange(of: /[0-9]+/) {
            record.value?.replaceSubrange(number, with: "\(Int.random(in: 0...9_999, using: &random))")
        }
        if isRare(10) {
            record.value = pick([
                nil, "14", "{\"holds\":{\"_0\":[{\"late\":{}}]}}", "{}", "{\"late\":{}}", "null", "[",
                #"{"overLimit":{"cents":7}}"#,
            ])
        }
        if isRare(10) { record.code = pick([nil, 0, -1, 2, 3, Int.max]) }
        if isRare(10) { record.cancellation = true }
        if isRare(10) { record.shortened = pick([[], ["trail"], ["trail", "value"]]) }
        if isRare(20) { record.type = pick(["", "RecordingSupport.Order", "NSError", "a\u{2028}b"]) }
        var bytes = Array(RecordLine(record).bytes.dropLast())
        if isRare(2) { return bytes }
        for _ in 0..<Int.random(in: 0...2, using: &random) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.removeSubrange(index...)
        case 3: bytes.insert(contentsOf: pick(Self.pieces), at: index)
        case 4: bytes.append(contentsOf: pick(Self.pieces))
        case 5: bytes.insert(contentsOf: Array(repeating: UInt8(ascii: "["), count: 600), at: index)
        default: replace(pick(Self.texts), with: pick(Self.texts), in: &bytes)
        }
    }

    private mutating func replace(_ old: String, with new: String, in bytes: inout [UInt8]) {
        guard let range = bytes.firstRange(of: Array(old.utf8)) else { return }
        bytes.replaceSubrange(range, with: Array(new.utf8))
    }

    private static let pieces: [[UInt8]] =
        [
            " ", "\t", "\r", ",", "}", "\"", "\\", "\\u0041", "\\ud83d\\ude42", "\\ud83d", "\\/", "\\x", "null", "0",
            "1e2",
            ".0", "-0", "\u{0}", "é", ",\"type\":\"x\"", ",\"code\":null",
        ].map { Array($0.utf8) } + [[0xC3], [0xFF], [0xED, 0xA0, 0x80], [0xEF, 0xBB, 0xBF], [0xC0, 0x80]]

    private static let texts = [
        "\"version\":1", "\"version\":2", "\"version\":01", "\"version\": 1", "\"version\":1.0", "\"version\":0", ":1,",
        ":1.5,", ":01,", ":10000000000000000000000,", ":-1,", ":true,", "\"scope\":[]", "\"scope\":null",
        "\"scope\":[\"pay\"]", "\"trail\":[]", "\"trail\":[{}]", ",\"occurrences\":1", ",\"occurrences\":\"1\"",
        "\"disposition\"", "\"disp\\u006fsition\"", "Order", "\\u004frder", "\\u004Frder", "late", "l\\u0061te",
        "\"metadata\":{}", "\"metadata\":{\"a\":\"b\",\"a\":\"c\"}", "\"metadata\":{\"a\":1}", "cents", "{", "",
    ]
}

extension ReplayCacheTests {
    @Test(arguments: [false, true])
    func `thousands of lines, some of them hostile, give the same table with and without caches`(
        isByType: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let recorder = try ErrorRecorder(
            path: folder.file, configuration: .init(release: isByType ? nil : "2.4.1"), rebuilding: rebuilding)
        let pay = ErrorHandler().on(Order.late, fileID: "Shop/Pay.swift", line: 1) { _ in .stop }
        await withErrorBus(handler: rules(10)) { bus in
            bus.observeUntilEnd { recorder.record($0) }
            let errors: [any Error] = [
                Order.late, Order.overLimit(cents: 7), Order.overLimit(cents: 8), Coded(errorCode: 3, under: []),
                Coded(errorCode: 4, under: [.late, .overLimit(cents: 1)]), POSIXError(.ENOENT), URLError(.timedOut),
                NSError(domain: "d", code: 1), Plain(number: 1), Lossy.seventh, Lossy.number(code: 1),
                Holder.holds([]), Holder.holds([.late]), Holder.plain(code: 5, text: "\"5\""), Fields(number: 6),
                Fields(number: 7, inner: .overLimit(cents: 8)),
            ]
            for error in errors {
                bus.post(error)
                bus.scope("pay", handler: pay).post(error, metadata: ["\"k\"": "v\u{2028}"])
            }
        }
        await recorder.close(within: longTime)
        // A predicate that depends on more than the error: on whether it was called an odd number of times.
        let calls = Locked((short: 0, long: 0))
        func replay(usesCaches: Bool) -> Replay {
            let rules =
                isByType
                ? rulesByType(50)
                : self.rules(50) {
                    calls.withLock { calls in
                        let call = usesCaches ? \(short: Int, long: Int).short : \.long
                        calls[keyPath: call] += 1
                        return calls[keyPath: call].isMultiple(of: 3)
                    }
                }
            return Replay(rules: rules, scopes: ["pay": pay], rebuilding: rebuilding, usesCaches: usesCaches)
        }
        var (short, long) = (replay(usesCaches: true), replay(usesCaches: false))
        let seed = UInt64.random(in: 0...UInt64.max)
        var maker = LineMaker(seed: seed, try RecordedFile(folder).records)
        let (count, chunk) = (isLong ? 100_000 : 10_000, 2_500)
        var (scan, scanned) = (RecordScan(), 0)
        for _ in 0..<count / chunk {
            let lines = (0..<chunk).map { _ in maker.line() }
            short.addAll(lines)
            long.addAll(lines)
            try #require(short.json() == long.json(), "seed \(seed)")
            for line in lines where scan.read(line.span) {
                let (read, value) = (scan.record(line.span), scan.value(line.span))
                let decoded = ReplayedRecord(decoding: line.span)
                try #require("\(read)" == decoded.map { "\($0)" } ?? "unreadable", "seed \(seed)")
                try #require(value == decoded?.value.map { Data($0.utf8) }, "seed \(seed)")
                scanned += 1
            }
        }
        expect(short.description, equals: long.description)
        // Lines of all kinds occurred, and both predicates were called equally often.
        #expect(scanned > count / 3 && scanned < count)
        #expect(short.unchanged > count / 50 && short.differences.count > 20 && short.unreadable > count / 50)
        #expect(short.undelivered > 0 && short.notRebuilt.count > (isByType ? 0 : 3) && short.ofLaterVersions > 0)
        #expect(calls.withLock { $0.short == $0.long && ($0.short > count / 100) != isByType })
    }

    @Test func `a scan reads a recorder's lines as the decoder does, and at most 18 digits of a number`() throws {
        var record = ErrorRecord(
            report(Coded(errorCode: 3, under: [.late]), metadata: ["a": "b"], scope: ["s", "\""]),
            from: RecordOrigin(host: "h", service: "s", process: 1, start: "now"), time: { _ in 1 }, sequence: 2,
            rebuilding: rebuilding)
        record.message = "\u{8}\u{c}\n\r\t\"\\/é\u{2028}🙂"
        var scan = RecordScan()
        let line = Array(RecordLine(record).bytes.dropLast())
        let isRead = scan.read(line.span)
        #expect(isRead)
        let scanned = scan.record(line.span)
        let decoded = ReplayedRecord(decoding: line.span)
        expect("\(scanned)", equals: "\(try #require(decoded))")
        for release in ["2.4.1", "", nil] {
            record.release = release
            record.firstTime = release.map { $0 + record.time }
            let line = Array(RecordLine(record).bytes.dropLast())
            expect(scan.read(line.span), equals: true)
            expect(scan.record(line.span).release, equals: release)
        }
        for (code, isUnderstood) in [(123_456_789_012_345_678, true), (Int.max, false), (-5, true)] {
            record.code = code
            let line = Array(RecordLine(record).bytes.dropLast())
            expect(scan.read(line.span), equals: isUnderstood, "\(code)")
        }
    }

    @Test func `verdicts are bounded in number and size, and a lookup never finds another key's`() {
        var cache = VerdictCache<Int>(count: 64)
        let keys = (0..<1_000).map { Array("key \($0)".utf8) }
        for (number, key) in keys.enumerated() { cache.store(number, of: key, at: cache.slot(of: key)) }
        let found = keys.enumerated().compactMap { number, key in
            cache.verdict(at: cache.slot(of: key)).map { ($0, number) }
        }
        #expect(found.allSatisfy { $0 == $1 })
        #expect(found.count > 32 && found.count <= 64)
        let long = [UInt8](repeating: 1, count: 2_049)
        cache.store(1, of: long, at: cache.slot(of: long))
        expectNil(cache.verdict(at: cache.slot(of: long)))
    }

    @Test func `the names in a contrived file are bounded too`() {
        var replay = Replay(rules: ErrorHandler().on(matching: .predicate { _ in false }) { _ in .stop })
        let name = String(repeating: "x", count: 10_000)
        for number in 0..<1_000 {
            replay.add(
                #"{"version":1,"type":"\#(number)\#(name)","disposition":"handled","matchedRuleCount":1}"#)
        }
        expect(replay.notRebuilt.values.reduce(0, +), equals: 1_000)
        #expect(replay.notRebuilt.count < 500)
        #expect(replay.notRebuilt["…"] ?? 0 > 500)
        #expect(replay.description.contains("…  and more types"))
    }
}

extension Replay {
    fileprivate mutating func addAll(_ lines: [[UInt8]]) {
        for line in lines { add(line: line.span) }
    }
}
