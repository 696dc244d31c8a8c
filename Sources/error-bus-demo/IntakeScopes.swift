import ErrorRecovery
import ErrorRouting
import HTTPErrors

/// The two parts of the service, each with rules that hold for its errors alone.
///
/// The same error means something else elsewhere: a text that cannot be decoded is a broken order in the intake, but
/// would be a broken answer from the payment endpoint. So these rules are not among the application's.
struct IntakeScopes: Sendable {
    /// Where order files are read and checked.
    let intake: ErrorScope
    /// Where accepted orders are charged.
    let payments: ErrorScope

    /// - Parameters:
    ///   - bus: The bus around them, whose rules are tried after theirs.
    ///   - ledger: Where the actions enter what they did.
    init(of bus: ErrorBus, ledger: Ledger) {
        intake = bus.scope("intake", handler: Self.intake(ledger))
        payments = bus.scope("payments", handler: Self.payments(ledger))
    }

    /// Both, in the order in which an order comes through them.
    var all: [ErrorScope] { [intake, payments] }

    private static func intake(_ ledger: Ledger) -> ErrorHandler {
        ErrorHandler()
            // An asynchronous action. If it throws, the bus delivers an `ActionFailure` next.
            .on(DecodingError.self) { _, report in
                try await Quarantine.take(report.orderFile)
                ledger.record(.quarantined)
                return .stop
            }
    }

    private static func payments(_ ledger: Ledger) -> ErrorHandler {
        ErrorHandler()
            .on(matching: .unreachable) { _ in
                ledger.record(.due)
                return .stop
            }
            .on(CircuitOpen.self) { _ in
                ledger.record(.due)
                return .stop
            }
            // That the circuit opens and closes is told by the errors around it, and counted in the table.
            .ignore(CircuitChanged.self)
    }
}
