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

/// A plain implementation of the published design: a list of matchers and actions, scanned from the last to the first.
package struct LinearHandler: Sendable {
    private protocol Matcher: Sendable {
        func matches(_ error: any Error) -> Bool
    }

    private struct TypeMatcher<E: Error>: Matcher {
        func matches(_ error: any Error) -> Bool { error is E }
    }

    private struct ValueMatcher<E: Error & Equatable>: Matcher {
        let value: E

        func matches(_ error: any Error) -> Bool { error as? E == value }
    }

    private var rules: [(matcher: any Matcher, action: @Sendable (any Error) -> Bool)] = []

    package init() {}

    /// Adds a rule; its action returns whether to stop.
    package mutating func on<E: Error>(_ type: E.Type, do action: @escaping @Sendable (E) -> Bool) {
        rules.append((TypeMatcher<E>(), { error in (error as? E).map(action) ?? false }))
    }

    /// Adds a rule for one value.
    package mutating func on<E: Error & Equatable>(_ value: E, do action: @escaping @Sendable (E) -> Bool) {
        rules.append((ValueMatcher(value: value), { error in (error as? E).map(action) ?? false }))
    }

    @inline(never)
    package func handle(_ error: any Error) {
        for (matcher, action) in rules.reversed() where matcher.matches(error) {
            if action(error) { return }
        }
    }

    /// Returns a list with rules for a number of types.
    package static func types(_ count: Int) -> LinearHandler {
        var builder = Builder()
        for number in 0..<count { visit(number, &builder) }
        return builder.handler
    }

    private struct Builder: ErrorTypeVisitor {
        var handler = LinearHandler()

        mutating func visit<E: Error>(_ type: E.Type, sample: E) {
            handler.on(type) {
                consume($0)
                return true
            }
        }
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
