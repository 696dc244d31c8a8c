import Foundation

/// A hand-written switch with casts, with four cases.
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

/// A hand-written switch with casts, with eight cases.
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
