import Foundation
import TestSupport

// `erased` is internal.
@testable import ErrorRouting

/// Rules of all kinds in random order, with matchers and actions that cause mischief.
struct FuzzRules {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func matcher(depth: Int = 2) -> ErrorMatcher<any Error> {
        let kinds = depth == 0 ? 9 : 14
        switch number(kinds) {
        case 0: return ErrorMatcher.type(FuzzErrors.Value.self).erased
        case 1: return ErrorMatcher.value(FuzzErrors.Value(number: number(4))).erased
        case 2: return ErrorMatcher.value(FuzzErrors.Case.plain).erased
        case 3: return ErrorMatcher.nsError(domain: "fuzz", code: number(2) == 0 ? nil : number(3)).erased
        case 4: return ErrorMatcher.conforming(to: (any LocalizedError).self).erased
        case 5: return ErrorMatcher.extracting(FuzzErrors.Coded.self) { $0.errorCode == 1 ? $0.inner : nil }
        case 6:
            return .predicate { error in
                FuzzMischief.act(about: error)
                return FuzzMischief.lies()
            }
        case 7:
            return ErrorMatcher.value(NSError(domain: "fuzz", code: 1, userInfo: ["errors": [Zoo.Offline()]])).erased
        case 8: return ErrorMatcher.type(URLError.self).where { $0.code == .timedOut }.erased
        case 9: return .anywhere(matcher(depth: depth - 1))
        case 10: return matcher(depth: depth - 1) || matcher(depth: depth - 1)
        case 11: return matcher(depth: depth - 1) && matcher(depth: depth - 1)
        case 12: return !matcher(depth: depth - 1)
        default: return matcher(depth: depth - 1).named("named\n\u{202E}")
        }
    }

    mutating func handler() -> ErrorHandler {
        var handler = number(2) == 0 ? ErrorHandler() : Self.printing
        for _ in 0..<number(8) {
            let strategy = number(3) == 0 ? HandleStrategy.stop : .next
            switch number(8) {
            case 0: handler = handler.ignore(matching: matcher())
            case 1:
                handler = handler.on(FuzzErrors.Value.self) { error in
                    FuzzMischief.act(about: error)
                    return strategy
                }
            case 2: handler = handler.on(FuzzErrors.Value(number: number(4))) { throw $0 }
            case 3:
                handler = handler.on(matching: matcher()) { error async in
                    await Task.yield()
                    FuzzMischief.act(about: error)
                    return strategy
                }
            case 4:
                handler = handler.always { error, report in
                    FuzzMischief.act(about: error)
                    _ = report.description
                    return strategy
                }
            case 5: handler = handler.onNoMatch { throw $0 }
            case 6: handler = handler.overlaid(with: Self.printing)
            default: handler = handler.on(matching: matcher()) { _ in strategy }
            }
        }
        return handler
    }

    /// The default preset, with a redaction that causes mischief.
    private static let printing = ErrorHandler.standardError { report in
        FuzzMischief.act(about: FuzzErrors.Text())
        return FuzzMischief.lies() ? FuzzMischief.text : report.message
    }

    mutating func map() -> ErrorMap<Int> {
        var map = ErrorMap(default: 0)
        for _ in 0..<number(5) {
            map = number(2) == 0 ? map.on(matching: matcher(), 1) : map.on(FuzzErrors.Value.self) { $0.hashValue & 3 }
        }
        return map
    }

    mutating func configuration() -> ErrorBus.Configuration {
        var configuration = ErrorBus.Configuration()
        configuration.capacity = [1, 3, 64, 8_192][number(4)]
        configuration.actionTimeLimit = [nil, .milliseconds(5), .seconds(30)][number(3)]
        if number(3) == 0 { configuration.floodLimit = FloodLimit(first: number(3), per: .milliseconds(2)) }
        if number(2) == 0 {
            configuration.metadataProvider = { error in
                FuzzMischief.act(about: error)
                return ["text": FuzzMischief.text]
            }
        }
        return configuration
    }
}
