import Exploration
import Foundation
import Strands

/// Explores the scenarios and prints a table of the results.
@main
struct Main {
    static func main() {
        unsafe repeat_with_fixed_addresses(CommandLine.unsafeArgv)
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(Options.usage)
            exit(64)
        }
        if options.isList { return options.scenarios.forEach { print($0.name) } }
        if let schedule = options.replayed { replay(schedule, of: options.scenarios[0], options) }
        if options.scenarios.count == 1 { exit(explore(options.scenarios[0], options).rawValue) }
        print(Row.header)
        exit(Status.of(exploreAll(options)).rawValue)
    }

    /// The result of an exploration, as the process's exit status.
    enum Status: Int32 {
        case complete = 0
        case incomplete = 2
        case failed = 1

        static func of(_ all: [Status]) -> Status {
            all.contains(.failed) ? .failed : all.contains(.incomplete) ? .incomplete : .complete
        }
    }

    private static func explore(_ scenario: Scenario, _ options: Options) -> Status {
        failIfTrapped(scenario)
        let bound = options.bound(of: scenario)
        let report = Explorer(bound).explore(scenario, within: options.seconds)
        print(Row(scenario, bound, report))
        guard let failure = report.failure else {
            return report.isComplete || options.isLong ? .complete : .incomplete
        }
        print(failed(scenario, failure, report.schedule))
        return .failed
    }

    /// Explores each scenario in its own process, with a number of jobs in parallel, and prints the rows in order.
    private static func exploreAll(_ options: Options) -> [Status] {
        let results = Results(count: options.scenarios.count)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = options.jobs
        for (index, scenario) in options.scenarios.enumerated() {
            queue.addOperation {
                let (process, output) = (Process(), Pipe())
                process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
                process.arguments = options.arguments(for: scenario)
                process.standardOutput = output
                var text = ""
                if (try? process.run()) != nil {
                    text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                    process.waitUntilExit()
                }
                results.set(index, Status(rawValue: process.terminationStatus) ?? .failed, text)
            }
        }
        queue.waitUntilAllOperationsAreFinished()
        return results.all
    }

    private static func replay(_ schedule: Schedule, of scenario: Scenario, _ options: Options) -> Never {
        failIfTrapped(scenario)
        let explorer = Explorer(options.bound(of: scenario), replaying: schedule)
        let report = explorer.explore(scenario)
        print(explorer.replayedSteps)
        print(report.failure.map { "then: \($0)" } ?? "nothing is wrong")
        exit(report.failure == nil ? 0 : 1)
    }

    private static func failed(_ scenario: Scenario, _ failure: String, _ schedule: Schedule?) -> String {
        "    FAILED: \(failure)\n    --replay '\(scenario.name)@\(schedule?.description ?? "")'"
    }

    nonisolated(unsafe) private static var explored: Scenario?

    /// Makes the process print the schedule before a failed assertion crashes it.
    private static func failIfTrapped(_ scenario: Scenario) {
        unsafe explored = scenario
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
            signal(number) { _ in Main.endTrapped() }
        }
    }

    private static func endTrapped() -> Never {
        if let scenario = unsafe explored, let explorer = Explorer.exploring {
            if !explorer.replayedSteps.isEmpty { print(explorer.replayedSteps) }
            print(failed(scenario, "the program stops itself", explorer.schedule))
        }
        fflush(nil)
        _exit(1)
    }
}

/// The rows of all scenarios.
///
/// A row is printed as soon as its result is known and all rows before it are printed.
private final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [(status: Main.Status, text: String)?]
    private var printed = 0

    init(count: Int) { results = Array(repeating: nil, count: count) }

    var all: [Main.Status] { lock.withLock { results.map { $0?.status ?? .failed } } }

    func set(_ index: Int, _ status: Main.Status, _ text: String) {
        lock.withLock {
            results[index] = (status, text)
            while printed < results.count, let (_, text) = results[printed] {
                print(text, terminator: "")
                printed += 1
            }
            fflush(nil)
        }
    }
}
