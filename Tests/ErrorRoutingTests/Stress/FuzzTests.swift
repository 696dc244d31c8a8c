import Foundation
import StandardErrorWriter
import TestSupport
import Testing

@testable import ErrorRouting

/// Runs everything at random, with hostile errors, matchers, and strings.
///
/// No run may crash, hang, or lose an error.
///
/// It runs in a separate process and reads its standard error, in which each line must be complete.
///
/// | environment variable | meaning |
/// | --- | --- |
/// | `ERROR_BUS_FUZZ_SECONDS` | how long to continue, seed after seed; by default 1, with `ERROR_BUS_LONG` 120 |
/// | `ERROR_BUS_FUZZ_SEED` | the first seed, by default 1 |
@Suite(
    "Promises 9, 14, 23, and 24: they hold for hostile errors",
    .tags(.promise9, .promise14, .promise23, .promise24), .hangLimit(minutes: FuzzTime.minutes))
struct FuzzTests {}

extension FuzzTests {
    @Test("hostile errors, matchers, and strings don't crash the library, and no error is lost")
    func everything() async throws {
        let log = FileManager.default.temporaryDirectory.path + "/bus-fuzz-\(UUID().uuidString)"
        try handOver(log, as: "fuzz log")
        await #expect(processExitsWith: .success) {
            endIfItHangs(after: FuzzTime.seconds + 300)
            await FuzzRun.runs(loggingTo: try handedOver("fuzz log"))
        }
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        let output = (try? Data(contentsOf: URL(fileURLWithPath: log + ".err"))) ?? Data()
        for name in [log, log + ".err"] { try? FileManager.default.removeItem(atPath: name) }
        // A run that didn't end is the last run in the log, and no line follows it.
        print("fuzz test:", text.split(separator: "\n").last.map(String.init) ?? "nothing")
        if !text.hasSuffix("and all is right\n") {
            let written = String(decoding: output.suffix(20_000), as: UTF8.self)
            Issue.record("\(text.suffix(4_000))\non standard error:\n\(written)")
        }
        let lines = output.split(separator: UInt8(ascii: "\n"))
        let odd = lines.firstIndex { !$0.starts(with: "failure type=".utf8) }
        let rest = odd.map { lines[$0...].prefix(40).map { String(decoding: $0.prefix(400), as: UTF8.self) } }
        expectNil(rest, "on standard error is more than whole lines")
    }
}

enum FuzzTime {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    static let seed = UInt64(max(0, number("ERROR_BUS_FUZZ_SEED") ?? 1))
    static let seconds = number("ERROR_BUS_FUZZ_SECONDS") ?? (isLong ? 120 : 1)
    static let minutes = seconds / 60 + 10
}

/// Runs the fuzz test in its process.
enum FuzzRun {
    static func runs(loggingTo path: String) async {
        func file(_ path: String) -> FileHandle {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND, 0o600)
            if descriptor < 0 { fatalError("cannot open \(path)") }
            return FileHandle(fileDescriptor: descriptor)
        }
        let (log, output) = (file(path), file(path + ".err"))
        func note(_ line: String) { try? log.write(contentsOf: Data((line + "\n").utf8)) }
        let standardError = dup(STDERR_FILENO)
        dup2(output.fileDescriptor, STDERR_FILENO)
        let begin = ContinuousClock.now
        var (seed, posted) = (FuzzTime.seed, 0)
        repeat {
            note("seed \(seed)")
            switch await run(seed) {
            case .success(let count):
                posted += count
            case .failure(let complaint):
                return note("\(complaint)")
            }
            seed += 1
        } while ContinuousClock.now - begin < .seconds(FuzzTime.seconds)
        StandardError.waitUntilWritten()
        // Restore standard error for the output of a sanitizer at the end.
        dup2(standardError, STDERR_FILENO)
        note("\(seed - FuzzTime.seed) runs from seed \(FuzzTime.seed), \(posted) posted, and all is right")
    }

    struct Complaint: Error {
        let text: String
    }

    @concurrent
    private static func run(_ seed: UInt64) async -> Result<Int, Complaint> {
        var rules = FuzzRules(seed: seed)
        let mischief = FuzzMischief(seed: seed, fuel: 150, handler: rules.handler(), map: rules.map())
        mischief.begin()
        defer { FuzzMischief.end() }
        let handlers = (0..<3).map { _ in rules.handler() }
        let (configuration, matcher, handler) = (rules.configuration(), rules.matcher(), rules.handler())
        let bus = await withErrorBus(handler: handlers[0], configuration: configuration) { bus in
            let observer = Task { for await _ in bus.reports(matching: matcher, bufferingNewest: 8) {} }
            let scope = bus.scope("outer\n", handler: handlers[1], metadata: ["scope": FuzzMischief.text])
            let inner = scope.scope("inner", handler: handlers[2], order: .rootFirst)
            await withTaskGroup(of: Void.self) { group in
                for part in 0..<3 {
                    let posters: [any ErrorPosting] = [bus, scope, inner, .ambient]
                    group.addTask {
                        var random = SplitMix64(seed: seed &* 31 &+ UInt64(part))
                        for _ in 0..<8 { await post(to: posters, handler, &random) }
                    }
                }
            }
            withExtendedLifetime(observer) {}
            return bus
        }
        await mischief.untie()
        let statistics = bus.statistics
        guard statistics.isBalanced, statistics.pending == 0 else { return .failure(Complaint(text: "\(statistics)")) }
        return .success(statistics.posted)
    }

    private static func post(
        to posters: [any ErrorPosting],
        _ handler: ErrorHandler,
        _ random: inout SplitMix64
    ) async {
        let error = FuzzErrors.any(&random)
        let poster = posters[Int.random(in: posters.indices, using: &random)]
        switch Int.random(in: 0..<8, using: &random) {
        case 0: _ = await poster.deliver(error)
        case 1: await handler.handle(error)
        case 2: _ = handler.explain(error).description
        case 3: _ = FuzzMischief.current?.map[error]
        case 4: poster.catching { throw error }
        case 5: _ = ErrorReport(error: error, source: .init(fileID: "a\n/b", line: 1)).description
        default: poster.post(error)
        }
        if let acting = error as? FuzzErrors.Acting { FuzzMischief.current?.tie(acting, to: error) }
    }
}
