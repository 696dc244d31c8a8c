import ErrorRecovery
import ErrorRouting
import HTTPErrors

/// Charges orders, retries temporary failures, and stops calling an endpoint that cannot be reached.
struct RecoveringPayments: Sendable {
    let client: PaymentClient
    let tally = RecoveryTally()
    let circuit: CircuitBreaker
    private let policy: RetryPolicy

    /// - Parameters:
    ///   - client: The client that sends the requests.
    ///   - policy: Which payments are tried again, and when.
    ///   - errors: Where the circuit posts its changes.
    ///   - clock: The circuit's clock.
    init<C: Clock>(
        _ client: PaymentClient,
        policy: RetryPolicy = .payments,
        errors: any ErrorPosting = .ambient,
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.client = client
        self.policy = policy
        // An endpoint that responds is reachable, whatever its status, except for the time-outs 408 and 504.
        circuit = CircuitBreaker(
            "payments", openFor: .milliseconds(250), counting: .unreachable, clock: clock,
            errors: errors)
    }

    /// Charges an order, in as many attempts as the policy allows.
    ///
    /// - Throws: The error of the last attempt; `CircuitOpen` if the circuit refused it.
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
    /// The policy for payments: retries temporary errors, such as a lost connection or an overloaded endpoint.
    ///
    /// `CircuitOpen` is not retried: while the circuit is open, another attempt would be refused too.
    static let payments = RetryPolicy(
        maxAttempts: 4,
        backoff: .exponential(from: .milliseconds(50), upTo: .seconds(1)),
        budget: RetryBudget(ratio: 0.5, reserve: 20),
        deadline: .seconds(10)
    )
    .retrying(matching: .transient)
}
