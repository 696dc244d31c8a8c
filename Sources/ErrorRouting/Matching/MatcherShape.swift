/// What a matcher is made of, as a plain value.
///
/// The matcher's closure says whether it matches; its shape says what it could match, so that rules can be described
/// (and sorted by what they could match) without asking them.
indirect enum MatcherShape: Sendable {
    case type(any Error.Type)
    case value(any Error)
    case nsError(domain: String, code: Int?)
    case conforming(to: Any.Type, @Sendable (any Error) -> Bool)
    case extracting(any Error.Type)
    case predicate
    case any
    case anywhere(MatcherShape)
    case narrowed(MatcherShape)
    case either(MatcherShape, MatcherShape)
    case both(MatcherShape, MatcherShape)
    case not(MatcherShape)
    case named(String, MatcherShape)
}

extension MatcherShape: CustomStringConvertible {
    var description: String {
        switch self {
        case .type(let type): "type(\(type))"
        case .value(let error): "value(\(ErrorText.literal(error)))"
        case .nsError(let domain, nil): "nsError(domain: \(domain))"
        case .nsError(let domain, let code?): "nsError(domain: \(domain), code: \(code))"
        case .conforming(let type, _): "conforming(to: \(type))"
        case .extracting(let type): "extracting(\(type))"
        case .predicate: "matching(predicate)"
        case .any: "any"
        case .anywhere(let inner): "anywhere(\(inner))"
        case .narrowed(let inner): "\(inner).where(predicate)"
        case .either(let first, let second): "(\(first) || \(second))"
        case .both(let first, let second): "(\(first) && \(second))"
        case .not(let inner): "!\(inner)"
        case .named(let name, _): name
        }
    }
}
