extension LinearReading {
    /// A matcher's output.
    enum Found: Equatable {
        case error(Specimen)
        case number(Int)

        var signature: String {
            switch self {
            case .error(let error): error.signature
            case .number(let number): "\(number)"
            }
        }
    }

    /// The static type of a matcher's output: unions of different types are erased.
    enum OutputType: Equatable {
        case kind(Kind)
        case conforming(Conformance)
        case number
        case anyError
    }

    enum Conformance: Sendable, CaseIterable {
        case retryable, localized, underlying
    }

    /// A predicate that reads its argument as a string, so that the reading and the library can call it.
    struct Predicate: Sendable {
        var modulus: Int
        var remainder: Int

        func callAsFunction(_ signature: String) -> Bool {
            signature.utf8.reduce(0) { $0 + Int($1) } % modulus == remainder
        }
    }

    /// A matcher as plain data.
    ///
    /// Promises 6 to 10.
    indirect enum Matcher: Sendable {
        case type(Kind)
        case value(Specimen)
        case nsError(domain: String, code: Int?)
        case conforming(Conformance)
        case conformingTo(Kind)
        /// Yields the error's number if it is even.
        case extracting(Kind)
        case matching(Predicate)
        case any
        case anywhere(Matcher)
        case narrowed(Matcher, Predicate)
        case named(Matcher)
        case erased(Matcher)
        case either(Matcher, Matcher)
        case both(Matcher, Matcher)
        case not(Matcher)
    }

    /// The kinds of matchers, all of which the generator must produce.
    enum MatcherKind: CaseIterable {
        case type, value, nsError, conforming, conformingTo, extracting, matching, any
        case anywhere, narrowed, named, erased, either, both, not

        /// The kind of a matcher: for a new matcher, the compiler requires a kind here.
        init(_ matcher: Matcher) {
            self =
                switch matcher {
                case .type: .type
                case .value: .value
                case .nsError: .nsError
                case .conforming: .conforming
                case .conformingTo: .conformingTo
                case .extracting: .extracting
                case .matching: .matching
                case .any: .any
                case .anywhere: .anywhere
                case .narrowed: .narrowed
                case .named: .named
                case .erased: .erased
                case .either: .either
                case .both: .both
                case .not: .not
                }
        }
    }
}

extension LinearReading.Matcher: CustomStringConvertible {
    /// The library's description of the matcher.
    var description: String { "\(made)" }

    typealias Found = LinearReading.Found
    typealias Specimen = LinearReading.Specimen

    var outputType: LinearReading.OutputType {
        switch self {
        case .type(let kind), .conformingTo(let kind): .kind(kind)
        case .value(let error): .kind(error.kind)
        case .nsError: .kind(.nsError)
        case .conforming(let conformance): .conforming(conformance)
        case .extracting: .number
        case .matching, .any, .erased, .not: .anyError
        case .anywhere(let inner), .narrowed(let inner, _), .named(let inner), .both(let inner, _): inner.outputType
        case .either(let one, let other): one.outputType == other.outputType ? one.outputType : .anyError
        }
    }

    /// The matcher's output for an error; nil if it doesn't match.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - walk: The errors visited under the outermost error, which limit the errors visited under this error; nil if
    ///     this is the outermost.
    func find(in error: Specimen, among walk: [Specimen]? = nil) -> Found? {
        switch self {
        case .type(let kind), .conformingTo(let kind):
            return error.seen(as: kind).map(Found.error)
        case .value(let value):
            return error.seen(equalTo: value).map(Found.error)
        case .nsError(let domain, let code):
            let seen = error.domainAndCode
            guard seen.domain == domain, code == nil || code == seen.code else { return nil }
            return .error(error.kind == .nsError ? error : .nsError(domain: seen.domain, code: seen.code, under: []))
        case .conforming(let conformance):
            return error.conforms(to: conformance) ? .error(error) : nil
        case .extracting(let kind):
            guard let number = error.seen(as: kind)?.number, number.isMultiple(of: 2) else { return nil }
            return .number(number)
        case .matching(let predicate):
            return predicate(error.signature) ? .error(error) : nil
        case .any:
            return .error(error)
        case .anywhere(let inner):
            let visited = walk.map { walk in error.visited.filter(walk.contains) } ?? error.visited
            return visited.lazy.compactMap { inner.find(in: $0, among: walk ?? visited) }.first
        case .narrowed(let inner, let predicate):
            return inner.find(in: error, among: walk).flatMap { predicate($0.signature) ? $0 : nil }
        case .named(let inner):
            return inner.find(in: error, among: walk)
        case .erased(let inner):
            return inner.findErased(in: error, among: walk)
        case .either(let one, let other):
            if outputType == one.outputType, outputType == other.outputType {
                return one.find(in: error, among: walk) ?? other.find(in: error, among: walk)
            }
            return one.findErased(in: error, among: walk) ?? other.findErased(in: error, among: walk)
        case .both(let one, let other):
            return other.find(in: error, among: walk) == nil ? nil : one.find(in: error, among: walk)
        case .not(let inner):
            return inner.find(in: error, among: walk) == nil ? .error(error) : nil
        }
    }

    /// The output if it must be an error.
    private func findErased(in error: Specimen, among walk: [Specimen]?) -> Found? {
        switch find(in: error, among: walk) {
        case .error(let found): .error(found)
        case .number: .error(error)
        case nil: nil
        }
    }
}

extension LinearReading {
    /// The verdict on a match, as far as an error's type alone determines it.
    enum Verdict {
        case never, maybe, always

        /// The verdict if the match depends on more than the type.
        var narrowed: Self { self == .never ? .never : .maybe }

        static prefix func ! (verdict: Self) -> Self {
            switch verdict {
            case .never: .always
            case .maybe: .maybe
            case .always: .never
            }
        }

        static func && (one: Self, other: Self) -> Self {
            if one == .never || other == .never { return .never }
            return one == .always && other == .always ? .always : .maybe
        }
    }
}

extension LinearReading.Matcher {
    /// Promises 5 to 10: the verdict of an error's type, and the domain that all errors of the type have
    /// if that is known.
    func verdict(on error: Specimen, includingDomain: Bool = true) -> LinearReading.Verdict {
        func verdict(of inner: Self) -> LinearReading.Verdict {
            inner.verdict(on: error, includingDomain: includingDomain)
        }
        switch self {
        case .type(let kind), .conformingTo(let kind):
            if error.kind == .nsError, [.url, .cocoa, .posix].contains(kind) { return .maybe }
            return error.seen(as: kind) == nil ? .never : .always
        case .value(let value):
            let bridged: [LinearReading.Kind] = [.nsError, .url, .cocoa, .posix]
            if bridged.contains(value.kind) { return bridged.contains(error.kind) ? .maybe : .never }
            return value.kind == error.kind ? .maybe : .never
        case .nsError(let domain, let code):
            if error.kind == .nsError || !includingDomain { return .maybe }
            return error.domainAndCode.domain != domain ? .never : code == nil ? .always : .maybe
        case .conforming(let conformance):
            return error.kind == .nsError ? .maybe : error.conforms(to: conformance) ? .always : .never
        case .extracting(let kind): return verdict(of: .type(kind)).narrowed
        case .matching: return .maybe
        case .any: return .always
        case .anywhere(let inner): return verdict(of: inner) == .always ? .always : .maybe
        case .narrowed(let inner, _): return verdict(of: inner).narrowed
        case .named(let inner), .erased(let inner): return verdict(of: inner)
        case .either(let one, let other): return !(!verdict(of: one) && !verdict(of: other))
        case .both(let one, let other): return verdict(of: one) && verdict(of: other)
        case .not(let inner): return !verdict(of: inner)
        }
    }
}
