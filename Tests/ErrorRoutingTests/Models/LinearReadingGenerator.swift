import TestSupport

extension LinearReading {
    /// A generator of random errors and handlers.
    struct Generator {
        private var random: SplitMix64
        private var lastRule = 0

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        private mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }
        private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }

        // MARK: Errors

        mutating func error(depth: Int = 0) -> Specimen {
            let kind =
                depth < 3 && chance(35) ? pick([.nsError, .group, .wrapped, .failure, .journal]) : pick(Kind.allCases)
            let small = number(0..<4)
            switch kind {
            case .payment: return pick([.declined(small), .expired, .unavailable])
            case .shade: return pick([.dark(small), .light])
            case .opaque: return pick([.coded(small), .plain])
            case .timeout: return .timeout(small)
            case .offline: return .offline
            case .reading: return .reading(pick([nil, small]))
            case .localized: return .localized("text \(small)")
            case .foreign: return .foreign(small)
            case .animal, .bird, .owl: return .animal(kind, name: String(repeating: "x", count: small))
            case .nsError:
                let domain = pick([
                    "bank", "zoo.foreign", Specimen.urlDomain, Specimen.cocoaDomain, Specimen.posixDomain,
                ])
                let code = pick([small, 4, 13, -1001, -999])
                let under = errors(pick([0, 0, 1, 2, 3]), depth: depth)
                return .nsError(domain: domain, code: code, under: under)
            case .url: return .url(pick(Specimen.urlCodes))
            case .cocoa: return .cocoa(pick([4, 260, small]))
            case .posix: return .posix(pick(Specimen.posixCodes))
            case .group:
                // Sometimes create more errors than are visited.
                if chance(4) { return .group((60..<70).contains(number(50..<80)) ? crowd() : []) }
                return .group(errors(small, depth: depth))
            case .wrapped: return .wrapped(error(depth: depth + 1))
            case .failure: return .failure(small, error(depth: depth + 1))
            case .journal: return .journal(errors(small, depth: depth))
            }
        }

        private mutating func errors(_ count: Int, depth: Int) -> [Specimen] {
            depth < 3 ? (0..<count).map { _ in error(depth: depth + 1) } : []
        }

        /// Creates so many errors that the last few of them aren't visited.
        private mutating func crowd() -> [Specimen] {
            let fillers: [Specimen] = (0..<number(58..<64)).map { _ in .offline }
            return fillers + (0..<8).map { _ in error(depth: 3) }
        }

        // MARK: Handlers

        /// A handler with rules that are related to the given errors.
        mutating func handler(for errors: [Specimen], rules: Int) -> Handler {
            Handler(rules: (0..<rules).map { _ in rule(for: errors) })
        }

        mutating func rule(for errors: [Specimen]) -> Rule {
            lastRule += 1
            let verb = pick([.on, .on, .on, .on, .on, .on, Verb.ignore, .onNoMatch, .always])
            return Rule(
                number: lastRule, verb: verb, matcher: matcher(for: errors.flatMap(\.visited), depth: 0),
                answer: pick([.next, .next, .next, .stop, .failure]),
                isAsynchronous: verb != .ignore && chance(12), getsReport: chance(50), isShort: chance(50)
            )
        }

        mutating func matcher(for errors: [Specimen], depth: Int) -> Matcher {
            if depth < 3, chance(45) {
                func inner(_ generator: inout Self) -> Matcher { generator.matcher(for: errors, depth: depth + 1) }
                switch number(0..<10) {
                case 0...2: return .anywhere(inner(&self))
                case 3: return .narrowed(inner(&self), predicate())
                case 4: return .named(inner(&self))
                case 5: return .erased(inner(&self))
                case 6, 7: return .either(inner(&self), inner(&self))
                case 8: return .both(inner(&self), inner(&self))
                default: return .not(inner(&self))
                }
            }
            let error = chance(80) ? pick(errors) : self.error(depth: 3)
            let kind = chance(80) ? pick(kinds(of: error)) : pick(Kind.allCases)
            switch number(0..<16) {
            case 0...3: return .type(kind)
            case 4...6: return value(like: error)
            case 7...9:
                let (domain, code) = error.domainAndCode
                return .nsError(domain: domain, code: pick([nil, code, code + 1]))
            case 10: return .conforming(pick(Conformance.allCases))
            case 11: return .conformingTo(kind)
            case 12, 13: return .extracting(kind)
            case 14: return .matching(predicate())
            default: return .any
            }
        }

        private mutating func predicate() -> Predicate {
            let modulus = number(2..<4)
            return Predicate(modulus: modulus, remainder: number(0..<modulus))
        }

        /// The types by which the error could be matched.
        private func kinds(of error: Specimen) -> [Kind] {
            Kind.allCases.filter { error.seen(as: $0) != nil }
        }

        /// The value to compare with or, if the errors can't be compared, the type.
        private func value(like error: Specimen) -> Matcher {
            switch error {
            case .nsError(let domain, let code, _): .value(.nsError(domain: domain, code: code, under: []))
            case .coded, .plain, .offline, .foreign, .animal, .group, .wrapped, .failure, .journal: .type(error.kind)
            default: .value(error)
            }
        }
    }
}
