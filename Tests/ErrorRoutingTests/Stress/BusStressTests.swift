import Foundation
import TestSupport
import Testing

/// A bus under load, in every way that a seed can make up: who posts, what the actions do, who observes, how it ends.
///
/// It runs in a process of its own, since all that the bus writes to standard error is read, and counts.
///
/// | environment variable | meaning |
/// | --- | --- |
/// | `ERROR_BUS_STRESS_SECONDS` | how long to go on, with seed after seed; by default 4 |
/// | `ERROR_BUS_STRESS_SEED` | the first seed, by default 1; if no seconds are given, the only one |
///
/// What one seed does is the same each time, but for the threads' timing: to see again what a seed has shown, give it
/// and some seconds, and `ERROR_BUS_STRESS_REPEAT=1`, which tries it again and again.
@Suite("Behaviours 4, 11 to 16, 18 to 20 under load", .timeLimit(.minutes(StressTime.minutes)))
struct BusStressTests {
    @Test("every report comes to exactly one end, in order, and every count says so, whatever happens meanwhile")
    func everything() async {
        let log = FileManager.default.temporaryDirectory.path + "/bus-stress-\(UUID().uuidString)"
        await #expect(processExitsWith: .success) { [path = log as String] in
            endIfItHangs(after: StressTime.seconds + 300)
            await StressLog(path).fill()
        }
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        let output = (try? String(contentsOfFile: log + ".err", encoding: .utf8)) ?? ""
        // A run that did not end is the last one in the log, and has no line after it.
        print("stress test:", text.split(separator: "\n").last.map { String($0) } ?? "nothing")
        if !text.hasSuffix("and all is right\n") {
            Issue.record("\(text)\non standard error:\n\(output.prefix(20_000))")
        }
        for name in [log, log + ".err"] { try? FileManager.default.removeItem(atPath: name) }
    }
}

/// How long the stress test is to take.
enum StressTime {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    static let seed = UInt64(max(0, number("ERROR_BUS_STRESS_SEED") ?? 1))
    static let seconds = number("ERROR_BUS_STRESS_SECONDS") ?? (number("ERROR_BUS_STRESS_SEED") == nil ? 4 : 0)
    static let repeats = number("ERROR_BUS_STRESS_REPEAT") != nil
    static let minutes = seconds / 60 + 10
}
