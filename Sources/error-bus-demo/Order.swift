import Foundation

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
