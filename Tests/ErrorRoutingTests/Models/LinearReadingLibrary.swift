import ErrorRouting
import Foundation

/// The same handlers and errors, created with the library.
extension LinearReading {
    /// The trace for actions when a task handles the error itself.
    @TaskLocal static var bound: ActionTrace?

    /// The trace for the actions of a bus, which task-local values don't reach.
    private static let ofBuses = Locked<[ObjectIdentifier: ActionTrace]>([:])

    /// The trace for the actions of this task.
    static var trace: ActionTrace {
        bound ?? ErrorBus.current.flatMap { bus in ofBuses.withLock { $0[ObjectIdentifier(bus)] } } ?? ActionTrace()
    }

    /// Runs a body alongside a bus with actions that note what they do in a trace.
    static func withErrorBus<Result>(
        _ handler: ErrorHandler, noting trace: ActionTrace, _ body: (ErrorBus) async -> Result
    ) async -> Result {
        let (result, bus) = await ErrorRouting.withErrorBus(handler: handler) { bus in
            ofBuses.withLock { $0[ObjectIdentifier(bus)] = trace }
            return (await body(bus), ObjectIdentifier(bus))
        }
        ofBuses.withLock { $0[bus] = nil }
        return result
    }

    /// The error that a `.failure` action throws.
    struct Thrown: Error { var rule: Int }

    private static let types: [Kind: any Error.Type] = [
        .payment: Zoo.Payment.self, .shade: Zoo.Shade.self, .opaque: Zoo.Opaque.self, .timeout: Zoo.Timeout.self,
        .offline: Zoo.Offline.self, .reading: Zoo.Reading.self, .localized: Zoo.Localized.self,
        .foreign: Zoo.Foreign.self, .animal: Zoo.Animal.self, .bird: Zoo.Bird.self, .owl: Zoo.Owl.self,
        .nsError: NSError.self, .url: URLError.self, .cocoa: CocoaError.self, .posix: POSIXError.self,
        .group: Zoo.Group.self, .wrapped: Zoo.Wrapped.self, .failure: Zoo.Failure.self, .journal: Zoo.Journal.self,
    ]

    static func type(_ kind: Kind) -> any Error.Type { types[kind] ?? Never.self }

    /// The library's error for a specimen.
    static func error(_ specimen: Specimen) -> any Error {
        switch specimen {
        case .declined(let code): return Zoo.Payment.declined(code: code)
        case .expired: return Zoo.Payment.expired
        case .unavailable: return Zoo.Payment.unavailable
        case .dark(let depth): return Zoo.Shade.dark(depth)
        case .light: return Zoo.Shade.light
        case .coded(let code): return Zoo.Opaque.coded(code)
        case .plain: return Zoo.Opaque.plain
        case .timeout(let seconds): return Zoo.Timeout(seconds: seconds)
        case .offline: return Zoo.Offline()
        case .reading(let value): return Zoo.Reading(value: value.map(Double.init) ?? .nan)
        case .localized(let text): return Zoo.Localized(errorDescription: text)
        case .foreign(let code): return Zoo.Foreign(errorCode: code)
        case .animal(.owl, let name): return Zoo.Owl(name)
        case .animal(.bird, let name): return Zoo.Bird(name)
        case .animal(_, let name): return Zoo.Animal(name)
        case .nsError(let domain, let code, let under):
            let errors = under.map(error)
            let userInfo: [String: Any] =
                switch errors.count {
                case 0: [:]
                case 1: [NSUnderlyingErrorKey: errors[0]]
                default: ["NSMultipleUnderlyingErrorsKey": errors]
                }
            return NSError(domain: domain, code: code, userInfo: userInfo)
        case .url(let code): return URLError(code == -1001 ? .timedOut : code == -999 ? .cancelled : .cannotFindHost)
        case .cocoa(let code): return CocoaError(CocoaError.Code(rawValue: code))
        case .posix(let code): return POSIXError(POSIXErrorCode(rawValue: Int32(code)) ?? .EIO)
        case .group(let under): return Zoo.Group(underlyingErrors: under.map(error))
        case .wrapped(let under): return Zoo.Wrapped(content: error(under))
        case .failure(let code, let under): return Zoo.Failure.failed(code: code, reason: error(under))
        case .journal(let under):
            return Zoo.Journal(entries: under.map { Zoo.Journal.Entry(number: 1, error: error($0)) })
        }
    }

    /// The library's error for a specimen that can be compared.
    static func comparableError(_ specimen: Specimen) -> any (Error & Equatable) {
        // Cast from `Any`: the compiler assumes that every error is an `NSError`, but here the error isn't.
        guard let error = error(specimen) as Any as? any (Error & Equatable) else {
            fatalError("\(specimen) cannot be compared")
        }
        return error
    }

    /// A matcher's output, converted back to a specimen.
    static func specimen(_ error: any Error) -> Specimen {
        // Check this first: on Linux an `NSError` is also a `CocoaError`.
        if Swift.type(of: error) is NSError.Type {
            let error = error as NSError
            return .nsError(domain: error.domain, code: error.code, under: [])
        }
        switch error {
        case Zoo.Payment.declined(let code): return .declined(code)
        case Zoo.Payment.expired: return .expired
        case Zoo.Payment.unavailable: return .unavailable
        case Zoo.Shade.dark(let depth): return .dark(depth)
        case Zoo.Shade.light: return .light
        case Zoo.Opaque.coded(let code): return .coded(code)
        case Zoo.Opaque.plain: return .plain
        case let error as Zoo.Timeout: return .timeout(error.seconds)
        case is Zoo.Offline: return .offline
        case let error as Zoo.Reading: return .reading(Int(exactly: error.value))
        case let error as Zoo.Localized: return .localized(error.errorDescription ?? "")
        case let error as Zoo.Foreign: return .foreign(error.errorCode)
        case let error as Zoo.Owl: return .animal(.owl, name: error.name)
        case let error as Zoo.Bird: return .animal(.bird, name: error.name)
        case let error as Zoo.Animal: return .animal(.animal, name: error.name)
        case let error as URLError: return .url(error.code.rawValue)
        case let error as CocoaError: return .cocoa(error.code.rawValue)
        case let error as POSIXError: return .posix(Int(error.code.rawValue))
        case let error as Zoo.Group: return .group(error.underlyingErrors.map(specimen))
        case let error as Zoo.Wrapped: return .wrapped(specimen(error.content))
        case Zoo.Failure.failed(let code, let reason): return .failure(code, specimen(reason))
        case let error as Zoo.Journal: return .journal(error.entries.map { specimen($0.error) })
        default: fatalError("no specimen of \(error)")
        }
    }

    /// Whether it is a bus's notice of a failure, or an error that is wrapped in such a notice.
    static func isNotice(_ output: Any) -> Bool { output is ActionFailure || output is Thrown }

    static func signature(_ output: Any) -> String {
        if isNotice(output) { return "notice" }
        if let error = output as? any Error { return specimen(error).signature }
        return "\(output)"
    }
}

extension LinearReading.Handler {
    /// The library's handler, in which the rules from `split` on are overlaid on the others.
    func handler(split: Int) -> ErrorHandler {
        func make(_ rules: some Sequence<LinearReading.Rule>) -> ErrorHandler {
            rules.reduce(ErrorHandler()) { $1.adding(to: $0) }
        }
        return make(rules.prefix(split)).overlaid(with: make(rules.dropFirst(split)))
    }

    /// The library's map with the rules that match errors.
    var map: ErrorMap<String> {
        rules.reduce(ErrorMap(default: "default")) { map, rule in
            switch rule.verb {
            case .on: rule.matcher.made.mapping(map, rule)
            case .ignore: rule.matcher.made.mappingConstant(map, "\(rule.number)")
            case .onNoMatch, .always: map
            }
        }
    }
}

extension LinearReading.Result {
    init(_ outcome: HandleOutcome) {
        disposition = "\(outcome.disposition)"
        matchedRuleCount = outcome.matchedRuleCount
        rule = outcome.rule.map { Int($0.source.line) }
        failures = outcome.failures.map { failure in
            // Both return which rule it was.
            let thrown = (failure.error as? LinearReading.Thrown)?.rule
            return thrown == Int(failure.rule.source.line) ? thrown ?? -1 : -1
        }
    }
}
