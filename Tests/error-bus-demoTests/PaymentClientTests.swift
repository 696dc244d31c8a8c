import Foundation
import HTTPErrors
import TestSupport
import Testing

@testable import error_bus_demo

/// What becomes of a payment that is cancelled.
@Suite(.timeLimit(.minutes(5)), .inProcessOfTheirOwn) struct PaymentClientTests {
    private let order = Order(id: "A-1", customer: "customer-1", lines: [])

    @Test func `who is cancelled goes on at once, and not when the transfer ends`() async throws {
        var endpoint = try SilentEndpoint()
        let payments = PaymentClient(endpoint: endpoint.url)
        var charge = Task<Void, any Error> {}
        // Begun before this thread waits: on a loaded machine there may be no other for it.
        await withCheckedContinuation { begun in
            charge = Task {
                begun.resume()
                try await payments.charge(order)
            }
        }
        try endpoint.waitForConnection()
        let begin = ContinuousClock.now
        charge.cancel()
        let error = await #expect(throws: NetworkError.self) { try await charge.value }
        expect(error?.kind, equals: .cancelled)
        // A transfer that nobody replies to takes as long as the session waits.
        #expect(ContinuousClock.now - begin < PaymentClient.timeLimit)
    }

    @Test func `for a task that is cancelled already nothing is sent`() async throws {
        let payments = PaymentClient(endpoint: PaymentClient.closedEndpoint)
        let charge = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await payments.charge(order)
        }
        // Where nobody listens a request would fail by itself, with another code.
        let error = await #expect(throws: NetworkError.self) { try await charge.value }
        expect(error?.kind, equals: .cancelled)
    }

    @Test func `cancelled at any moment, payments end one way or the other`() async throws {
        let payments = PaymentClient(endpoint: PaymentClient.closedEndpoint)
        var kinds: [NetworkError.Kind: Int] = [:]
        for round in 0..<300 {
            let charges = (0..<8).map { _ in Task { try await payments.charge(order) } }
            // Cancels at once, or as late as about when the payments fail by themselves.
            for _ in 0..<round { await Task.yield() }
            for charge in charges { charge.cancel() }
            for charge in charges {
                let error = await #expect(throws: NetworkError.self) { try await charge.value }
                if let error { kinds[error.kind, default: 0] += 1 }
            }
        }
        #expect(Set(kinds.keys).isSubset(of: [.cancelled, .connection]))
        expect(kinds.values.reduce(0, +), equals: 2_400)
        print("demo: payments cancelled and failed: \(kinds.map { "\($0.key.rawValue): \($0.value)" })")
    }
}
