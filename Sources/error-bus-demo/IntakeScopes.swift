import ErrorRecovery
import ErrorRouting
import HTTPErrors

/// The scopes of the two parts of the service, each with rules for its own errors.
///
/// The same error can mean something else in the other part: a decoding error is a broken order in the intake, but
/// would be a broken answer in the payments. So these rules are not among the application's.
struct IntakeScopes: Sendable {
    /// Where order files are read and checked.
    let intake: ErrorScope
    /// Where accepted orders are charged.
    let payments: ErrorScope

    /// - Parameters:
    ///   - bus: The bus of the scopes, whose rules are tried after theirs.
    ///   - ledger: Where the actions record what they did.
    init(of bus: ErrorBus, ledger: Ledger) {
        intake = bus.scope("intake", handler: Self.intake(ledger))
        payments = bus.scope("payments", handler: Self.payments(ledger))
    }

    /// Returns the rules of the scopes by their paths, for a replay.
    static func handlers(_ ledger: Ledger) -> [String: ErrorHandler] {
        ["intake": intake(ledger), "payments": payments(ledger)]
    }

    /// Both scopes, in the order in which an order passes through them.
    var all: [ErrorScope] { [intake, payments] }

    private static func intake(_ ledger: Ledger) -> ErrorHandler {
        ErrorHandler()
            // An asynchronous action. If it throws, the bus delivers an `ActionFailure` next.
            .on(DecodingError.self) { _, report in
                try await Quarantine.move(report.orderFile)
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
            // Changes of the circuit need no action: the table counts them.
            .ignore(CircuitChanged.self)
    }
}
