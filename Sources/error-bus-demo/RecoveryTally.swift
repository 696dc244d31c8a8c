import ErrorRecovery
import ErrorRouting

/// Counts the attempts of the payments, the orders that a retry saved, and the reasons why attempts ended.
final class RecoveryTally: Sendable {
    private struct Counts {
        var attempts = 0
        var retries = 0
        var recovered = 0
        /// How often an error ended the attempts, by the error's type and the reason.
        var endings: [String: Int] = [:]
    }

    private let counts = Locked(Counts())

    /// Counts a request that is about to be sent.
    func attempt() {
        counts.withLock { $0.attempts += 1 }
    }

    /// Counts a failed attempt, by the decision about it.
    func record(_ step: RetryStep) {
        counts.withLock { counts in
            if case .retriesAfter = step.verdict {
                counts.retries += 1
            } else {
                counts.endings["\(type(of: step.error)), \(step)", default: 0] += 1
            }
        }
    }

    /// Counts an order that was paid at a later attempt.
    func recover() {
        counts.withLock { $0.recovered += 1 }
    }

    /// How many requests were sent.
    var attempts: Int { counts.withLock { $0.attempts } }
    /// How many attempts were followed by another.
    var retries: Int { counts.withLock { $0.retries } }
    /// How many orders were paid at a later attempt.
    var recovered: Int { counts.withLock { $0.recovered } }

    /// Returns a line for each count that is not zero, and a line for the circuit.
    func lines(_ circuit: CircuitBreaker) -> [String] {
        let counts = counts.withLock { $0 }
        var rows = [
            (counts.attempts, "requests sent"),
            (counts.retries, "tried again"),
            (counts.recovered, "orders paid at a later attempt"),
        ]
        rows += counts.endings.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($1, $0) }
        return rows.filter { $0.0 > 0 }.map { "\("\($0)".padded(to: 6, leading: true))  \($1)" }
            + ["        circuit \(circuit.name): \(circuit.state)"]
    }
}
