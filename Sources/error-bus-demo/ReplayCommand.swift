import Dispatch
import ErrorReplay
import ErrorRouting
import Foundation

/// The replay command: says what the rules would do with the errors that an earlier run has recorded.
enum ReplayCommand {
    /// Runs the command, and ends the process.
    ///
    /// - Parameter arguments: The words after `replay`.
    static func main(_ arguments: [String]) -> Never {
        Task {
            // No action runs, so nothing is recorded in it.
            let ledger = Ledger()
            await Replay.main(
                rules: rules(ledger, areChanged: arguments.contains("--changed")),
                scopes: IntakeScopes.handlers(ledger), rebuilding: .orderIntake,
                arguments: arguments.filter { $0 != "--changed" })
        }
        dispatchMain()
    }

    /// Returns the program's own rules, or changed ones.
    static func rules(_ ledger: Ledger, areChanged: Bool) -> ErrorHandler {
        let rules = ErrorHandler.orderIntake(ledger: ledger)
        return areChanged ? rules.overlaid(with: .changes) : rules
    }
}

extension ErrorHandler {
    /// Changes that somebody might make to the rules: empty orders are nothing to look at any more, and an entry that
    /// has gone is.
    static var changes: ErrorHandler {
        ErrorHandler()
            .ignore(OrderError.noLines)
            .on(domain: NSPOSIXErrorDomain, code: Int(ENOENT)) { _ in .stop }
    }
}
