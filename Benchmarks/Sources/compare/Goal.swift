import Foundation

/// A bound that a ratio has to keep.
struct Goal: Sendable {
    let text: String
    let first: (String, Int)
    let second: (String, Int)
    /// The ratio to reach; `isFloor` where more is better.
    let bound: Double
    /// What would be better still.
    var wish: Double?
    /// What the short mode allows on a noisy machine; nil where it does not look.
    var shortBound: Double?
    let isFloor: Bool

    func isMet(by ratio: Double, bound: Double) -> Bool { isFloor ? ratio >= bound : ratio <= bound }

    /// The bound as a table shows it.
    var boundText: String {
        "\(isFloor ? "≥" : "≤") \(bound.formatted())" + (wish.map { " (wished for: \($0.formatted()))" } ?? "")
    }
}
