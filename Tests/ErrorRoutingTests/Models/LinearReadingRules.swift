import Foundation

// `erased` is internal.
@testable import ErrorRouting

/// A library matcher with any output.
protocol AnyErrorMatcher: Sendable {
    func found(in error: any Error) -> String?
    func adding(_ rule: LinearReading.Rule, to handler: ErrorHandler) -> ErrorHandler
    func ignoring(_ rule: LinearReading.Rule, in handler: ErrorHandler) -> ErrorHandler
    func mapping(_ map: ErrorMap<String>, _ rule: LinearReading.Rule) -> ErrorMap<String>
    func mappingConstant(_ map: ErrorMap<String>, _ value: String) -> ErrorMap<String>
    func somewhere() -> any AnyErrorMatcher
    func narrowed(_ predicate: LinearReading.Predicate) -> any AnyErrorMatcher
    func renamed() -> any AnyErrorMatcher
    func withoutType() -> any AnyErrorMatcher
    func negated() -> any AnyErrorMatcher
    func or(_ other: any AnyErrorMatcher) -> any AnyErrorMatcher
    func and(_ other: any AnyErrorMatcher) -> any AnyErrorMatcher
    func after<First>(_ first: ErrorMatcher<First>, isUnion: Bool) -> any AnyErrorMatcher
}

extension ErrorMatcher: AnyErrorMatcher {
    func found(in error: any Error) -> String? { match(error).map { LinearReading.signature($0) } }
    func ignoring(_ rule: LinearReading.Rule, in handler: ErrorHandler) -> ErrorHandler {
        handler.ignore(matching: self, line: UInt(rule.number))
    }
    func mapping(_ map: ErrorMap<String>, _ rule: LinearReading.Rule) -> ErrorMap<String> {
        map.on(matching: self) { "\(rule.number) \(LinearReading.signature($0))" }
    }
    func mappingConstant(_ map: ErrorMap<String>, _ value: String) -> ErrorMap<String> { map.on(matching: self, value) }
    func somewhere() -> any AnyErrorMatcher { Self.anywhere(self) }
    func narrowed(_ predicate: LinearReading.Predicate) -> any AnyErrorMatcher {
        self.where { predicate(LinearReading.signature($0)) }
    }
    func renamed() -> any AnyErrorMatcher { named("name") }
    func withoutType() -> any AnyErrorMatcher { erased }
    func negated() -> any AnyErrorMatcher { !self }
    func or(_ other: any AnyErrorMatcher) -> any AnyErrorMatcher {
        if let other = other as? Self { return self || other }
        return other.after(self, isUnion: true)
    }
    func and(_ other: any AnyErrorMatcher) -> any AnyErrorMatcher { other.after(self, isUnion: false) }
    func after<First>(_ first: ErrorMatcher<First>, isUnion: Bool) -> any AnyErrorMatcher {
        isUnion ? first || self : first && self
    }

    func adding(_ rule: LinearReading.Rule, to handler: ErrorHandler) -> ErrorHandler {
        let line = UInt(rule.number)
        switch (rule.isAsynchronous, rule.getsReport) {
        case (false, false): return handler.on(matching: self, line: line) { try rule.act($0) }
        case (false, true): return handler.on(matching: self, line: line) { try rule.act($0, $1) }
        case (true, false): return handler.on(matching: self, line: line) { try await rule.actSoon($0) }
        case (true, true): return handler.on(matching: self, line: line) { try await rule.actSoon($0, $1) }
        }
    }
}

extension LinearReading.Matcher {
    /// The library's matcher.
    var made: any AnyErrorMatcher {
        func type<E: Error>(_ type: E.Type) -> any AnyErrorMatcher { ErrorMatcher.type(type) }
        func value<E: Error & Equatable>(_ value: E) -> any AnyErrorMatcher { ErrorMatcher.value(value) }
        func conforming<E: Error>(_ type: E.Type) -> any AnyErrorMatcher { ErrorMatcher.conforming(to: type) }
        func extracting<E: Error>(_ type: E.Type) -> any AnyErrorMatcher {
            ErrorMatcher.extracting(type) { error in
                LinearReading.specimen(error).number.flatMap { $0.isMultiple(of: 2) ? $0 : nil }
            }
        }
        switch self {
        case .type(let kind): return type(LinearReading.type(kind))
        case .value(let specimen):
            return value(LinearReading.comparableError(specimen))
        case .nsError(let domain, let code): return ErrorMatcher.nsError(domain: domain, code: code)
        case .conforming(.retryable): return ErrorMatcher.conforming(to: (any Zoo.Retryable).self)
        case .conforming(.localized): return ErrorMatcher.conforming(to: (any LocalizedError).self)
        case .conforming(.underlying): return ErrorMatcher.conforming(to: (any UnderlyingErrorsProviding).self)
        case .conformingTo(let kind): return conforming(LinearReading.type(kind))
        case .extracting(let kind): return extracting(LinearReading.type(kind))
        case .matching(let predicate):
            return ErrorMatcher.predicate { predicate(LinearReading.signature($0)) }
        case .any: return ErrorMatcher.any
        case .anywhere(let inner): return inner.made.somewhere()
        case .narrowed(let inner, let predicate): return inner.made.narrowed(predicate)
        case .named(let inner): return inner.made.renamed()
        case .erased(let inner): return inner.made.withoutType()
        case .either(let one, let other): return one.made.or(other.made)
        case .both(let one, let other): return one.made.and(other.made)
        case .not(let inner): return inner.made.negated()
        }
    }
}

extension LinearReading.Rule {
    /// The action, which notes its arguments and returns the rule's strategy.
    func act(_ output: Any, _ report: ErrorReport? = nil) throws -> HandleStrategy {
        // Don't note the notices that follow on a bus, because they aren't specimens.
        if LinearReading.isNotice(output) { return .next }
        let error = report.map { LinearReading.specimen($0.error).signature }
        let outcome = report.map { $0.outcome.disposition == .pending ? "-" : LinearReading.Result($0.outcome).note }
        let note = note(LinearReading.signature(output), report: error ?? "", outcome: outcome ?? "-")
        if answer == .failure {
            _ = LinearReading.trace(note)
            throw LinearReading.Thrown(rule: number)
        }
        return LinearReading.trace(note, answer == .stop ? .stop : .next)
    }

    func actSoon(_ output: Any, _ report: ErrorReport? = nil) async throws -> HandleStrategy {
        if number.isMultiple(of: 3) { await Task.yield() }
        return try act(output, report)
    }

    func adding(to handler: ErrorHandler) -> ErrorHandler {
        let line = UInt(number)
        switch (verb, matcher) {
        case (.onNoMatch, _):
            if isAsynchronous { return handler.onNoMatch(line: line) { try await actSoon($0, $1) } }
            return getsReport
                ? handler.onNoMatch(line: line) { try act($0, $1) } : handler.onNoMatch(line: line) { try act($0) }
        case (.always, _):
            if isAsynchronous { return handler.always(line: line) { try await actSoon($0, $1) } }
            return getsReport
                ? handler.always(line: line) { try act($0, $1) } : handler.always(line: line) { try act($0) }
        case (_, .type(let kind)) where isShort:
            return addingType(LinearReading.type(kind), to: handler)
        case (_, .value(let specimen)) where isShort:
            return addingValue(LinearReading.comparableError(specimen), to: handler)
        case (.ignore, .nsError(let domain, let code)) where isShort:
            return handler.ignore(domain: domain, code: code, line: line)
        case (.on, .nsError(let domain, let code)) where isShort:
            if isAsynchronous {
                return handler.on(domain: domain, code: code, line: line) { try await actSoon($0, $1) }
            }
            return handler.on(domain: domain, code: code, line: line) { try act($0, $1) }
        case (.ignore, _):
            return matcher.made.ignoring(self, in: handler)
        case (.on, _):
            return matcher.made.adding(self, to: handler)
        }
    }

    private func addingType<E: Error>(_ type: E.Type, to handler: ErrorHandler) -> ErrorHandler {
        let line = UInt(number)
        if verb == .ignore { return handler.ignore(type, line: line) }
        if isAsynchronous { return handler.on(type, line: line) { try await actSoon($0, $1) } }
        return handler.on(type, line: line) { try act($0, $1) }
    }

    private func addingValue<E: Error & Equatable>(_ value: E, to handler: ErrorHandler) -> ErrorHandler {
        let line = UInt(number)
        if verb == .ignore { return handler.ignore(value, line: line) }
        if isAsynchronous { return handler.on(value, line: line) { try await actSoon($0, $1) } }
        return handler.on(value, line: line) { try act($0, $1) }
    }
}
