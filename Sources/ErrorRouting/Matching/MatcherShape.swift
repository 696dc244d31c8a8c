import BoundedDescriptions

/// The structure of a matcher, as a plain value.
///
/// A matcher's closure decides whether the matcher matches an error. Its shape shows which errors could match, so that
/// rules can be described and indexed without calling the closure.
///
/// Most rules match by type, so the type is stored inline. Larger payloads are boxed, because that keeps the code for
/// copying a shape small.
package enum MatcherShape: Sendable {
    case type(any Error.Type)
    case any
    case value(any Error)
    indirect case nsError(domain: String, code: Int?)
    indirect case conforming(to: Any.Type, @Sendable (any Error) -> Bool)
    case extracting(any Error.Type)
    case predicate
    indirect case anywhere(MatcherShape)
    indirect case narrowed(MatcherShape)
    /// A flat list: nesting thousands of matchers could overflow the stack.
    case either([MatcherShape])
    case both([MatcherShape])
    indirect case not(MatcherShape)
    indirect case named(String, MatcherShape)
    /// ``ErrorMatcher/cancellation`` with the shape of its parts.
    indirect case cancellation(MatcherShape)

    /// The maximum number of parts to compare: a combination might contain only few matchers, but each a million times.
    package static let partLimit = 1_024
}

extension MatcherShape: CustomStringConvertible {
    /// The matcher as in source code, on one line.
    package var description: String {
        var text = BoundedText(limit: OneLine.limit)
        write(to: &text)
        return text.text
    }

    /// Appends the shape to a string, until the string is full.
    ///
    /// A matcher that is combined with itself repeatedly has few parts but an exponentially long description.
    private func write(to text: inout BoundedText) {
        func write(
            _ opening: String, _ parts: [MatcherShape] = [], joinedBy separator: String = "", _ closing: String = ""
        ) {
            text.append(opening)
            for (index, part) in parts.enumerated() where !text.isTruncated {
                if index > 0 { text.append(separator) }
                part.write(to: &text)
            }
            text.append(closing)
        }
        switch self {
        case .type(let type): write("type(\(TypeName.short(type)))")
        case .value(let error): write("value(\(ErrorText.literal(error)))")
        case .nsError(let domain, let code):
            let domain = OneLine.escaped(TypeName.withoutAddresses(domain))
            write("nsError(domain: \(domain)\(code.map { ", code: \($0)" } ?? ""))")
        case .conforming(let type, _): write("conforming(to: \(TypeName.short(type)))")
        case .extracting(let type): write("extracting(\(TypeName.short(type)))")
        case .predicate: write("predicate")
        case .any: write("any")
        case .anywhere(let inner): write("anywhere(", [inner], ")")
        case .narrowed(let inner): write("", [inner], ".where(predicate)")
        case .either(let parts): write("(", parts, joinedBy: " || ", ")")
        case .both(let parts): write("(", parts, joinedBy: " && ", ")")
        case .not(let inner): write("!", [inner])
        case .named(let name, _): write(OneLine.escaped(name))
        case .cancellation: write("cancellation")
        }
    }
}
