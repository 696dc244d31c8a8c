import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// An error that can be hashed on the main actor only, and compared anywhere.
private struct OnMainActor: Error, Equatable {
    static let hashes = Atomic(0)

    let number: Int
}

extension OnMainActor: @MainActor Hashable {
    @MainActor func hash(into hasher: inout Hasher) {
        Self.hashes.add(1, ordering: .relaxed)
        hasher.combine(number)
    }
}

@Suite("Behaviour 7: a value's rule calls no `hash` that belongs to a global actor", .tags(.behaviour7))
struct IsolatedHashTests {}

extension IsolatedHashTests {
    private static let handler = (0..<9).reduce(ErrorHandler()) { handler, number in
        handler.on(OnMainActor(number: number)) { _ in .stop }
    }

    @Test("the values are compared one by one then, on the main actor too")
    @MainActor
    func compared() async {
        let (handler, error) = (Self.handler, OnMainActor(number: 3))
        func isHandled() -> Bool { handler.handleSynchronously(error)?.disposition == .handled }
        // At its first use, indexed, and planned.
        for _ in 0..<3 { #expect(isHandled()) }
        await Task.detached { for _ in 0..<3 { expect(handler.handleSynchronously(error)?.isHandled, equals: true) } }
            .value
        expect(OnMainActor.hashes.load(ordering: .relaxed), equals: 0)
    }
}
