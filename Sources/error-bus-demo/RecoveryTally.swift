import ErrorRecovery
import ErrorRouting

/// How many attempts the payments took, how many came to something, and why no more were made.
final class RecoveryTally: Sendable {
    private struct Counts {
        var attempts = 0
        var retries = 0
        var recovered = 0
        /// Which errors were the last, and why, with how often.
        var endings: [String: Int] = [:]
    }

    private let counts = Locked(Counts())

    /// A request is about to be sent.
    func attempt() {
        counts.withLock { $0.attempts += 1 }
    }

    /// An attempt failed, and this is what is made of it.
    func record(_ step: RetryStep) {
        counts.withLock { counts in
            if case .retriesAfter = step.verdict {
                counts.retries += 1
            } else {
                counts.endings["\(type(of: step.error)), \(step)", default: 0] += 1
            }
        }
    }

    /// An order was paid, and not at the first attempt.
    func recover() {
        counts.withLock { $0.recovered += 1 }
    }

    /// How many requests were sent.
    var attempts: Int { counts.withLock { $0.attempts } }
    /// How many attempts were followed by another.
    var retries: Int { counts.withLock { $0.retries } }
    /// How many orders were paid, and not at the first attempt.
    var recovered: Int { counts.withLock { $0.recovered } }

    /// A line for each count, without those of what did not happen, and for the circuit.
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
