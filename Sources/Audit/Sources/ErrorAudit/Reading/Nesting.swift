/// Measures how deep a source text nests, before the parser reads it.
///
/// The parser and the detectors call themselves once for each level, and each `[` within another `[` doubles the
/// parser's time. The scan therefore needs neither the parser nor recursion.
struct Nesting {
    /// The limits for a text that is parsed.
    ///
    /// Handwritten code stays far below them.
    enum Limit {
        /// The number of open brackets, `#if` directives, and interpolations.
        static let brackets = 100
        /// The number of open square brackets with no brace between them.
        static let squares = 12
        /// The number of tokens since the statements or elements began that are still open.
        static let tokens = 1_000
    }

    private struct Frame {
        let opener: Unicode.Scalar
        /// The number of open square brackets since the last brace.
        var squares = 0
        /// The number of tokens since the last separator.
        var tokens = 0
        /// How a string continues after an interpolation.
        var string: (hashes: Int, isMultiline: Bool)?
    }

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var frames = [Frame(opener: "\0")]
    private var tokens = 0
    private var isTooDeep = false
    private var previous: Token = .separator
    private var isAfterNewline = false

    private enum Token { case separator, value, prefix }

    /// Returns whether a text exceeds a limit.
    static func isTooDeep(_ text: String) -> Bool {
        var nesting = Nesting(text)
        nesting.scan()
        return nesting.isTooDeep
    }

    private init(_ text: String) { scalars = Array(text.unicodeScalars) }

    private func scalar(_ offset: Int = 0) -> Unicode.Scalar {
        index + offset < scalars.count ? scalars[index + offset] : "\0"
    }

    private mutating func scan() {
        while index < scalars.count, !isTooDeep {
            switch scalar() {
            case "\n", "\r":
                isAfterNewline = true
                index += 1
            case " ", "\t": index += 1
            case "/" where scalar(1) == "/": skipLine()
            case "/" where scalar(1) == "*": skipComment()
            case "\"": skipString(hashes: 0)
            case "#": pound()
            case ",", ";": separate()
            case "(", "[", "{": open(scalar())
            case ")", "]", "}": close(scalar())
            case let first where first.isWordPart: word()
            default: symbol()
            }
        }
    }

    private mutating func skipLine() {
        while index < scalars.count, scalar() != "\n", scalar() != "\r" { index += 1 }
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            let isStart = scalar() == "/" && scalar(1) == "*"
            let isEnd = scalar() == "*" && scalar(1) == "/"
            if isStart { depth += 1 } else if isEnd { depth -= 1 }
            index += isStart || isEnd ? 2 : 1
        } while depth > 0 && index < scalars.count
    }

    /// Begins a string at its first quotation mark.
    private mutating func skipString(hashes: Int) {
        count(.value)
        let isMultiline = scalar(1) == "\"" && scalar(2) == "\""
        index += isMultiline ? 3 : 1
        skipString(hashes: hashes, isMultiline: isMultiline)
    }

    /// Continues a string to its end, or to the next interpolation.
    private mutating func skipString(hashes: Int, isMultiline: Bool) {
        func hasHashes(_ offset: Int) -> Bool { (0..<hashes).allSatisfy { scalar(offset + $0) == "#" } }
        while index < scalars.count {
            let first = scalar()
            if !isMultiline, first == "\n" || first == "\r" { return }
            if first == "\"", !isMultiline || (scalar(1) == "\"" && scalar(2) == "\""), hasHashes(isMultiline ? 3 : 1) {
                index += (isMultiline ? 3 : 1) + hashes
                return
            }
            guard first == "\\", hasHashes(1) else {
                index += 1
                continue
            }
            index += 1 + hashes
            if scalar() == "(" {
                open("(")
                frames[frames.count - 1].string = (hashes, isMultiline)
                return
            }
            index += 1
        }
    }

    private mutating func pound() {
        var hashes = 0
        while scalar(hashes) == "#" { hashes += 1 }
        if scalar(hashes) == "\"" {
            index += hashes
            return skipString(hashes: hashes)
        }
        if starts(with: "#if") { return open("#", length: 3) }
        if starts(with: "#endif") { return close("#", length: 6) }
        index += hashes
    }

    private func starts(with word: String) -> Bool {
        let length = word.unicodeScalars.count
        return scalars[index...].starts(with: word.unicodeScalars) && !scalar(length).isWordPart
    }

    private mutating func open(_ opener: Unicode.Scalar, length: Int = 1) {
        count(.value)
        let outer = frames[frames.count - 1]
        let isBlock = opener == "{" || opener == "#"
        frames.append(Frame(opener: opener, squares: isBlock ? 0 : outer.squares + (opener == "[" ? 1 : 0)))
        isTooDeep =
            isTooDeep || frames.count > Limit.brackets + 1 || frames[frames.count - 1].squares > Limit.squares
        index += length
        previous = .separator
    }

    /// Closes the innermost bracket of this kind, with those that were left open in it.
    private mutating func close(_ closer: Unicode.Scalar, length: Int = 1) {
        index += length
        let opener: Unicode.Scalar = closer == ")" ? "(" : closer == "]" ? "[" : closer == "}" ? "{" : closer
        guard let position = frames.lastIndex(where: { $0.opener == opener }) else { return }
        let string = frames[position].string
        tokens -= frames[position...].reduce(0) { $0 + $1.tokens }
        frames.removeSubrange(position...)
        previous = .value
        isAfterNewline = false
        if let string { skipString(hashes: string.hashes, isMultiline: string.isMultiline) }
    }

    private mutating func word() {
        let start = index
        while scalar().isWordPart { index += 1 }
        let word = String(String.UnicodeScalarView(scalars[start..<index]))
        count(Self.prefixes.contains(word) ? .prefix : .value, isContinuation: word == "else")
    }

    /// The words that the rest of an expression or type must follow, also on the next line.
    private static let prefixes: Set = [
        "any", "as", "await", "borrowing", "case", "consume", "consuming", "copy", "each", "else", "if", "in", "inout",
        "is", "let", "repeat", "return", "sending", "some", "throw", "try", "unsafe", "var", "where",
    ]

    private mutating func symbol() {
        let isSpaced = index > 0 && scalars[index - 1].isBlank
        let start = index
        while Self.operators.contains(scalar()) { index += 1 }
        if index == start { index += 1 }
        // The parser reads the operands of a binary operator in a loop.
        let isArrow = scalars[start] == "-" && index - start == 2 && scalars[start + 1] == ">"
        if isSpaced, scalar().isBlank, !isArrow { return separate(length: 0) }
        for _ in start..<index { count(.prefix, isContinuation: true) }
    }

    private static let operators: Set<Unicode.Scalar> = Set("=-+!*%<>&|^~?".unicodeScalars)

    private mutating func separate(length: Int = 1) {
        tokens -= frames[frames.count - 1].tokens
        frames[frames.count - 1].tokens = 0
        previous = .prefix
        isAfterNewline = false
        index += length
    }

    private mutating func count(_ token: Token, isContinuation: Bool = false) {
        let isInBlock = "{#\0".unicodeScalars.contains(frames[frames.count - 1].opener)
        if isAfterNewline, isInBlock, previous != .prefix, !isContinuation { separate(length: 0) }
        isAfterNewline = false
        previous = token
        frames[frames.count - 1].tokens += 1
        tokens += 1
        isTooDeep = isTooDeep || tokens > Limit.tokens
    }
}

extension Unicode.Scalar {
    fileprivate var isBlank: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" }

    /// Whether the scalar belongs to a name or a number.
    fileprivate var isWordPart: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "$", "`", "\u{80}"...: true
        default: false
        }
    }
}
