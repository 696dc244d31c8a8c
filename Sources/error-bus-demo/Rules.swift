import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors

struct SyncFailed: Error { let status: Int }
enum StockError: Error, Equatable { case unreadable(shelf: Int), locked }
enum PaymentError: Error, Equatable { case declined(code: Int), providerDown }

extension ErrorHandler {
    /// The program's rules, on top of the library's preset, which writes errors without a rule to standard error.
    ///
    /// The rule that is registered last is tried first, so general rules come before specific ones. `.stop` ends the
    /// search; `.next` continues with the next rule that matches.
    static let `default`: ErrorHandler = .standardError.overlaid(
        with: ErrorHandler()
            .on(SyncFailed.self) { _ in
                await Desk.shared.note("sync again at 2:00")
                return .stop
            }
            .on(CocoaError.self) { _ in
                await Desk.shared.note("print yesterday's menu")
                return .stop
            }
            .on(URLError.self) { _ in
                await Desk.shared.note("upload later")
                return .stop
            }
            .expecting(StockError.self)
            .on(StockError.locked) { _ in
                await Desk.shared.note("fetch the key")
                return .next  // The rule above runs too.
            }
            .expecting(PaymentError.self)
            .on(matching: .declined) { code in
                await Desk.shared.note("ask for another card, because of code \(code)")
                return .stop
            }
            .expecting(NetworkError.self, CircuitOpen.self)
            .on(CircuitChanged.self) { change in
                await Desk.shared.note("\(change)")
                return .stop
            }
            .on(ErrorsDropped.self) { dropped in
                await Desk.shared.note("find out why \(dropped.count) errors were dropped")
                return .stop
            }
    )
}

extension ErrorMatcher where Output == Int {
    /// Matches a declined payment, and passes its code to the action.
    static var declined: Self {
        .extracting(PaymentError.self) { if case .declined(let code) = $0 { code } else { nil } }.named("declined")
    }
}

/// Collects notes about work to do, which the actions of the rules write.
actor Desk {
    static let shared = Desk()
    private var notes: [String] = []

    func note(_ text: String) { notes.append(text) }

    /// Removes and returns the notes.
    func take() -> [String] {
        defer { notes = [] }
        return notes
    }
}
