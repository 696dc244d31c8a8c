import Foundation

/// Handles an error with a hand-written switch that has four cases with casts.
@inline(never)
package func handleBySwitch4(_ error: any Error) {
    switch error {
    case let error as E1: consume(error.code)
    case let error as E2: consume(error.code)
    case let error as E3: consume(error.code)
    case let error as E4: consume(error.code)
    default: consume(error)
    }
}

/// Handles an error with a hand-written switch that has eight cases with casts.
@inline(never)
package func handleBySwitch8(_ error: any Error) {
    switch error {
    case let error as E1: consume(error.code)
    case let error as E2: consume(error.code)
    case let error as E3: consume(error.code)
    case let error as E4: consume(error.code)
    case let error as E5: consume(error.code)
    case let error as E6: consume(error.code)
    case let error as E7: consume(error.code)
    case let error as E8: consume(error.code)
    default: consume(error)
    }
}

/// Handles an error with the equivalent of a preset with ten rules, and returns whether a case matched the error.
@inline(never)
package func handleBySwitch10(_ error: any Error) -> Bool {
    switch error {
    case let error as E1: consume(error.code)
    case let error as E2: consume(error.code)
    case let error as E3: consume(error.code)
    case let error as E4: consume(error.code)
    case let error as E5: consume(error.code)
    case let error as E6: consume(error.code)
    case let error as E7: consume(error.code)
    case let error as E8: consume(error.code)
    case let error as E9: consume(error.code)
    case let error as E10: consume(error.code)
    case is CancellationError: return true
    default:
        consume(error)
        return false
    }
    return true
}

/// Handles an error like `handleBySwitch10` and makes a log call.
@inline(never)
package func handleBySwitch10AndLog(_ error: any Error, fileID: String = #fileID, line: UInt = #line) {
    log(error, isHandled: handleBySwitch10(error), fileID: fileID, line: line)
}

/// Makes the log call of both handlers and rivals, which passes metadata to a logger.
@inline(never)
package func log(_ error: any Error, isHandled: Bool, fileID: String, line: UInt) {
    consume(error)
    consume(["file": fileID, "handled": isHandled ? "true" : "false"])
    consume(line)
}

/// `NotificationCenter` with one observer.
package final class Notifications: @unchecked Sendable {
    private let center = NotificationCenter()
    private let token: any NSObjectProtocol

    package init() {
        token = center.addObserver(forName: .init("error"), object: nil, queue: nil) { consume($0.object) }
    }

    deinit { center.removeObserver(token) }

    package func post(_ error: any Error) { center.post(name: .init("error"), object: error) }
}
