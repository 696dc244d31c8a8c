import ErrorRouting
import Foundation
import Synchronization

/// The service: takes the order files of an inbox, several at a time, and has the accepted orders paid.
///
/// It knows no rule and handles no error; it posts them all, in the scope of the part that met them, with what a rule
/// may need to know.
struct OrderIntake: Sendable {
    let inbox: Inbox
    let payments: RecoveringPayments
    let ledger: Ledger
    let progress: ProgressDisplay
    /// How many workers take files at once.
    static let workerCount = 8

    /// Takes every entry of the inbox, or as many as come before cancellation.
    @concurrent
    func run(in scopes: IntakeScopes) async {
        let queue = WorkQueue(inbox.entries)
        await withDiscardingTaskGroup { group in
            for _ in 0..<Self.workerCount {
                group.addTask {
                    while !Task.isCancelled, let file = queue.next() {
                        await take(file, in: scopes)
                        await progress.fileDone()
                    }
                }
            }
        }
    }

    private func take(_ file: FilePath, in scopes: IntakeScopes) async {
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

/// The entries still to be taken, each by one worker.
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

    /// Orders above this need somebody's approval.
    static let limitInCents = 1_000_000

    /// What the order costs; `Int.max` where it is more than that.
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

/// An order that can be read, and breaks a business rule.
enum OrderError: Error, Equatable {
    /// There is nothing in it.
    case noLines
    /// A quantity below one, or a price below zero.
    case invalidLine(sku: String)
    /// It costs more than may pass without approval.
    case overLimit(cents: Int)
}
