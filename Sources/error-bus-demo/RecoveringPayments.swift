import ErrorRecovery
import ErrorRouting
import HTTPErrors

/// Charges orders, tries again what may pass, and lets an endpoint alone that is gone.
struct RecoveringPayments: Sendable {
    let client: PaymentClient
    let tally = RecoveryTally()
    let circuit: CircuitBreaker
    private let policy: RetryPolicy

    /// - Parameters:
    ///   - client: Who sends the requests.
    ///   - policy: Which payments are tried again, and when.
    ///   - errors: Where the circuit posts that it opens and closes.
    ///   - clock: The circuit's.
    init<C: Clock>(
        _ client: PaymentClient,
        policy: RetryPolicy = .payments,
        reportingTo errors: any ErrorPosting = .ambient,
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.client = client
        self.policy = policy
        // An endpoint that answers is there, whatever it answers.
        circuit = CircuitBreaker(
            "payments", opensAt: 10, for: .milliseconds(250), counting: .unreachable, clock: clock,
            reportingTo: errors)
    }

    /// Charges an order, in as many attempts as the policy allows.
    ///
    /// - Throws: What the last attempt threw; `CircuitOpen` where the endpoint is let alone.
    func charge(_ order: Order) async throws {
        try await retry(policy, onStep: tally.record) { attempt in
            try await circuit.run {
                tally.attempt()
                try await client.charge(order)
            }
            if attempt > 1 { tally.recover() }
        }
    }
}

extension RetryPolicy {
    /// What may pass is tried again: no connection, and an endpoint that is overloaded or out of order.
    ///
    /// Not what an open circuit refuses: there is no sense in waiting at a counter that is closed.
    static let payments = RetryPolicy(
        maxAttempts: 4,
        backoff: .exponential(from: .milliseconds(50), upTo: .seconds(1)),
        budget: RetryBudget(ratio: 0.5, reserve: 20),
        deadline: .seconds(10)
    )
    .retrying(matching: .transient)
}
