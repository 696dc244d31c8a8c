/// A bound that a ratio has to keep.
struct Goal {
    let text: String
    let first: (String, Int)
    let second: (String, Int)
    /// The ratio to reach; `isFloor` where more is better.
    let bound: Double
    /// What the short mode allows on a noisy machine; nil where it does not look.
    let shortBound: Double?
    let isFloor: Bool

    static let all = [
        flat("match by type", 1.2),
        flat("miss", 1.2),
        flat("match by value", 1.3),
        flat("match by NSError", 1.5),
        flat("error map", 1.2),
        Goal(
            text: "dispatch over a switch that matches in its 4th case", first: ("eight types, the fourth", 8),
            second: ("switch, 4th case", 4), bound: 0.9, shortBound: nil, isFloor: false),
        Goal(
            text: "dispatch over a switch that matches in its 8th case", first: ("eight types, the eighth", 8),
            second: ("switch, 8th case", 8), bound: 0.5, shortBound: nil, isFloor: false),
        Goal(
            text: "linear list over dispatch, 10 rules", first: ("linear list", 10), second: ("match by type", 10),
            bound: 8, shortBound: nil, isFloor: true),
        Goal(
            text: "linear list over dispatch, 1,000 rules", first: ("linear list", 1_000),
            second: ("match by type", 1_000), bound: 800, shortBound: nil, isFloor: true),
    ]

    private static func flat(_ name: String, _ bound: Double) -> Goal {
        Goal(
            text: "\(name): 1,000 rules over 1", first: (name, 1_000), second: (name, 1), bound: bound,
            shortBound: bound * 2, isFloor: false)
    }

    func isMet(by ratio: Double, bound: Double) -> Bool { isFloor ? ratio >= bound : ratio <= bound }
}
