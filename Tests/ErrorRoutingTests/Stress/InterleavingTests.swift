import TestSupport
import Testing

/// Storms show the interleavings that happen on one machine; here every interleaving of a small model is tried.
///
/// The model uses nothing of the library: it is the protocol that `DeliveryLane` describes which is checked, and whoever
/// changes that changes the model first.
@Suite(
    "Behaviours 11, 14 and 16: in every interleaving each report ends once, and the worker misses none",
    .tags(.behaviour11, .behaviour14, .behaviour16))
struct InterleavingTests {}

extension InterleavingTests {
    private struct Result {
        var violations: Set<String> = []
        var stateCount = 0
    }

    /// Searches all states that can be reached, breadth first.
    private func search(_ start: DeliveryModel) -> Result {
        var result = Result()
        var known: Set = [start]
        var front = [start]
        while !front.isEmpty {
            var following: [DeliveryModel] = []
            for state in front {
                let successors = state.successors
                let violation = state.violation ?? (successors.isEmpty ? state.violationAtTheEnd : nil)
                if let violation { result.violations.insert(violation) }
                for successor in successors where known.insert(successor).inserted { following.append(successor) }
            }
            front = following
        }
        result.stateCount = known.count
        return result
    }

    @Test(
        "posters, a worker and a shutdown break no promise, whichever steps come first",
        arguments: [(1, 3, 1), (2, 1, 1), (2, 2, 1), (2, 2, 2), (3, 1, 2)], [false, true]
    )
    func everyInterleaving(threads: (posters: Int, posts: Int, capacity: Int), isShutDown: Bool) {
        let result = search(
            DeliveryModel(
                posters: threads.posters, posts: threads.posts, capacity: threads.capacity, isShutDown: isShutDown))
        expect(result.violations, equals: [])
        #expect(result.stateCount > 50)
    }

    @Test("the search finds a step that is done wrong", arguments: DeliveryModel.Flaw.allCases)
    func flaws(flaw: DeliveryModel.Flaw) {
        let violations = [false, true].flatMap { isShutDown in
            search(DeliveryModel(posters: 2, posts: 2, capacity: 1, isShutDown: isShutDown, flaw: flaw)).violations
        }
        #expect(!violations.isEmpty)
    }
}
