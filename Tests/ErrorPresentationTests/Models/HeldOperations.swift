/// Operations that wait until the test ends them.
@MainActor
final class HeldOperations {
    private var waiting: [CheckedContinuation<Walk.Outcome, Never>?] = []

    /// The number of operations that have begun.
    var count: Int { waiting.count }

    func hold() async -> Walk.Outcome { await withCheckedContinuation { waiting.append($0) } }

    func end(_ number: Int, _ outcome: Walk.Outcome) {
        waiting[number]?.resume(returning: outcome)
        waiting[number] = nil
    }
}
