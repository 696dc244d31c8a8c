import Exploration
import Foundation

/// The command's options.
struct Options {
    static let usage = """
        usage: interleavings [--only SCENARIO] [--long] [--seconds N] [--jobs N] [--list]
               interleavings --replay STRING
          --only SCENARIO   explores one scenario
          --long            raises the bounds, and explores until the time runs out
          --seconds N       gives each scenario N seconds of processor time
          --jobs N          explores N scenarios at once
          --list            prints the scenarios' names
          --replay STRING   shows the steps of a schedule; a failure prints its string
        """

    private(set) var scenarios = Scenario.all
    private(set) var isList = false
    private(set) var replayed: Schedule?
    private(set) var jobs = ProcessInfo.processInfo.activeProcessorCount
    private(set) var seconds = 60.0
    /// Whether a scenario may be incomplete when its time runs out, without a failing exit status.
    private(set) var isLong = false

    init?(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)
        while !arguments.isEmpty {
            switch arguments.removeFirst() {
            case "--long":
                isLong = true
                seconds = 600
            case "--list": isList = true
            case "--only" where !arguments.isEmpty:
                let name = arguments.removeFirst()
                scenarios.removeAll { $0.name != name }
            case "--seconds" where !arguments.isEmpty:
                guard let number = Double(arguments.removeFirst()) else { return nil }
                seconds = number
            case "--jobs" where !arguments.isEmpty:
                guard let number = Int(arguments.removeFirst()), number > 0 else { return nil }
                jobs = number
            case "--replay" where !arguments.isEmpty:
                let parts = arguments.removeFirst().split(separator: "@", maxSplits: 1)
                guard parts.count == 2, let schedule = Schedule(String(parts[1])) else { return nil }
                scenarios.removeAll { $0.name != parts[0] }
                replayed = schedule
            default: return nil
            }
        }
        if scenarios.isEmpty { return nil }
    }

    func bound(of scenario: Scenario) -> Bound {
        // Use no bound: a schedule doesn't depend on the bound with which it was found.
        if replayed != nil { return .none(staleReads: .max) }
        return isLong ? scenario.longBound : scenario.bound
    }

    /// Returns the arguments with which another process explores one scenario.
    func arguments(for scenario: Scenario) -> [String] {
        ["--only", scenario.name] + (isLong ? ["--long"] : []) + ["--seconds", "\(seconds)"]
    }
}

extension Scenario {
    static let all = bus + drops + tables + observers + roots
}

/// One row of the table.
struct Row: CustomStringConvertible {
    private let cells: [String]

    static let header = Row(["scenario", "bound", "schedules", "complete", "seconds", "per second"]).description

    private init(_ cells: [String]) { self.cells = cells }

    init(_ scenario: Scenario, _ bound: Bound, _ report: Report) {
        let rate = Double(report.schedules) / max(report.seconds, 0.001)
        self.init([
            scenario.name, bound.description, "\(report.schedules)", report.isComplete ? "yes" : "no",
            String(format: "%.1f", report.seconds), "\(Int(rate))",
        ])
    }

    var description: String {
        zip(cells, [36, 34, 9, 8, 7, 10]).enumerated().map { index, column in
            let (text, width) = column
            let space = String(repeating: " ", count: max(0, width - text.count))
            return index < 2 ? text + space : space + text
        }.joined(separator: "  ")
    }
}
