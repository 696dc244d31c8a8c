import ErrorRouting
import Foundation
import Synchronization

/// The service: processes the order files of an inbox, several at a time, and charges the accepted orders.
///
/// It knows no rules and handles no errors. It posts every error in the scope of the part where it occurred, with
/// metadata that a rule may need.
struct OrderIntake: Sendable {
    let inbox: Inbox
    let payments: RecoveringPayments
    let ledger: Ledger
    let progress: ProgressDisplay
    /// How many workers process files at once.
    static let workerCount = 8

    /// Processes every entry of the inbox, or as many as begin before the task is cancelled.
    @concurrent
    func run(in scopes: IntakeScopes) async {
        let queue = WorkQueue(inbox.entries)
        await withDiscardingTaskGroup { group in
            for _ in 0..<Self.workerCount {
                group.addTask {
                    while !Task.isCancelled, let file = queue.next() {
                        await process(file, in: scopes)
                        await progress.fileDone()
                    }
                }
            }
        }
    }

    private func process(_ file: FilePath, in scopes: IntakeScopes) async {
        let metadata = [ErrorReport.orderFileKey: file.text]
        let order = scopes.intake.catching(metadata: metadata) {
            let order = try Inbox.readOrder(file)
            try order.validate()
            return order
        }
        guard let order else { return }
        ledger.record(.accepted)
        await scopes.payments.catching(metadata: metadata.merging(["order": order.id]) { $1 }) {
            try await payments.charge(order)
            ledger.record(.paid)
        }
    }
}

/// The entries that no worker has taken yet.
private final class WorkQueue: Sendable {
    private let entries: [FilePath]
    private let taken = Atomic(0)

    init(_ entries: [FilePath]) {
        self.entries = entries
    }

    func next() -> FilePath? {
        let index = taken.add(1, ordering: .relaxed).oldValue
        return index < entries.count ? entries[index] : nil
    }
}

/// An order as customers send it, one JSON file each.
struct Order: Codable, Sendable, Equatable {
    struct Line: Codable, Sendable, Equatable {
        let sku: String
        let quantity: Int
        let unitCents: Int
    }

    let id: String
    let customer: String
    let lines: [Line]

    /// The largest amount of an order that needs no approval.
    static let limitInCents = 1_000_000

    /// The order's amount; `Int.max` if it overflows.
    var totalInCents: Int {
        lines.reduce(0) { total, line in
            let (price, overflowed) = line.quantity.multipliedReportingOverflow(by: line.unitCents)
            let (sum, overflowedToo) = total.addingReportingOverflow(price)
            return overflowed || overflowedToo ? .max : sum
        }
    }

    /// Checks the business rules.
    func validate() throws(OrderError) {
        if lines.isEmpty { throw .noLines }
        if let line = lines.first(where: { $0.quantity < 1 || $0.unitCents < 0 }) { throw .invalidLine(sku: line.sku) }
        if totalInCents > Self.limitInCents { throw .overLimit(cents: totalInCents) }
    }
}

/// An order that can be read but breaks a business rule.
enum OrderError: Error, Equatable, Codable {
    /// The order is empty.
    case noLines
    /// A quantity is below one, or a price below zero.
    case invalidLine(sku: String)
    /// The order costs more than is allowed without approval.
    case overLimit(cents: Int)
}
