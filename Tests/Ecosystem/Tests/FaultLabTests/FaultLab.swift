import Foundation
import Testing

/// The tests run one at a time.
///
/// Then descriptors and memory belong to one test, and another test's work doesn't use up a short time limit.
///
/// If a test hangs, the suite's time limit reports it by name before CI stops the job.
@Suite(.serialized, .timeLimit(.minutes(ProcessInfo.processInfo.environment["ERROR_BUS_LONG"] == nil ? 5 : 20)))
enum FaultLab {}

/// Prints observed results as rows of a table if `ERROR_BUS_TABLE` is set.
enum Table {
    private static let isWanted = ProcessInfo.processInfo.environment["ERROR_BUS_TABLE"] != nil

    static func row(_ cells: String...) {
        if isWanted { print("| \(cells.joined(separator: " | ")) |") }
    }
}
