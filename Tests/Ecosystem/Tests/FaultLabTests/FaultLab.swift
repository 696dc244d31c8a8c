import Foundation
import Testing

/// Everything here runs one after the other, so that descriptors and memory are those of one test, and a short time
/// limit is not used up by another test's work.
///
/// A test that waits for ever is named by the time limit, before CI gives up.
@Suite(.serialized, .timeLimit(.minutes(ProcessInfo.processInfo.environment["ERROR_BUS_LONG"] == nil ? 5 : 20)))
enum FaultLab {}

/// What was observed, printed as rows of a table where `ERROR_BUS_TABLE` is set.
enum Table {
    private static let isWanted = ProcessInfo.processInfo.environment["ERROR_BUS_TABLE"] != nil

    static func row(_ cells: String...) {
        if isWanted { print("| \(cells.joined(separator: " | ")) |") }
    }
}
