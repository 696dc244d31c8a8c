import Foundation

/// Text about errors that fits on one line, whatever an error's description holds.
enum ErrorText {
    /// The error's type with its module: `Intake.PaymentError`.
    static func typeName(of error: any Error) -> String { typeName(type(of: error)) }

    /// A type with its module.
    static func typeName(_ type: Any.Type) -> String { oneLine(String(reflecting: type)) }

    /// The error as one would write it: `PaymentError.declined(code: 51)` for an enum's case, else its description.
    static func literal(_ error: any Error) -> String {
        let description = oneLine(String(describing: error))
        let prefix = "\(type(of: error))."
        let isBareCase = Mirror(reflecting: error).displayStyle == .enum && !description.hasPrefix(prefix)
        return isBareCase ? prefix + description : description
    }

    /// What the error has to say, before any escaping.
    ///
    /// A `LocalizedError`'s own description comes first; an error that knows its domain and code says what Foundation
    /// says for them; every other error is described as Swift describes it, since `localizedDescription` says no more
    /// than its type and a number. Coding errors are `LocalizedError`s on Linux, but only their description has the
    /// path.
    static func message(of error: any Error) -> String {
        if error is DecodingError || error is EncodingError { return String(describing: error) }
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        return hasDomainOfItsOwn(error) ? (error as NSError).localizedDescription : String(describing: error)
    }

    /// Whether domain and code say more than type and case do: for `NSError` objects and `CustomNSError`s.
    static func hasDomainOfItsOwn(_ error: any Error) -> Bool {
        type(of: error) is NSError.Type || error is any CustomNSError
    }

    /// The text with all that could break a line, or disguise one, escaped: control characters, line and paragraph
    /// separators, and the marks that reorder text.
    static func oneLine(_ text: String) -> String { escaped(text, where: breaksLine) }

    /// The text on one line between quotation marks, with the marks in it escaped.
    static func quoted(_ text: String) -> String {
        "\"\(escaped(text) { breaksLine($0) || $0 == "\"" || $0 == "\\" })\""
    }

    /// By scalars and not by characters: a mark that makes one character with the next scalar is still a mark.
    private static func escaped(_ text: String, where needsEscape: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: needsEscape) else { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard needsEscape(scalar) else {
                escaped.append(scalar)
                continue
            }
            switch scalar {
            case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
            case "\r": escaped.append(contentsOf: "\\r".unicodeScalars)
            case "\t": escaped.append(contentsOf: "\\t".unicodeScalars)
            case "\"", "\\": escaped.append(contentsOf: "\\\(scalar)".unicodeScalars)
            default: escaped.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            }
        }
        return String(escaped)
    }

    /// The text as it is where it reads as one word, else quoted.
    static func bare(_ text: String) -> String {
        let isWord =
            !text.isEmpty && text.unicodeScalars.allSatisfy { !breaksLine($0) && !" \"=\\".unicodeScalars.contains($0) }
        return isWord ? text : quoted(text)
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar.properties.isBidiControl
        default: false
        }
    }
}
