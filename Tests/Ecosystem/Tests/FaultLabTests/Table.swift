import Foundation

/// What was observed, printed as rows of a table where `ERROR_BUS_TABLE` is set.
enum Table {
    private static let isWanted = ProcessInfo.processInfo.environment["ERROR_BUS_TABLE"] != nil

    static func row(_ cells: String...) {
        if isWanted { print("| \(cells.joined(separator: " | ")) |") }
    }
}
