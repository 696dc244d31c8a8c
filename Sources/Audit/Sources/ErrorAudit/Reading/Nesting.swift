/// Measures how deeply a source text is nested before the parser reads it.
///
/// The parser and the detectors recurse once per level, and each `[` within another `[` doubles the parser's time. So
/// the scan uses neither the parser nor recursion.
struct Nesting {
    /// The limits for source code that is parsed.
    ///
    /// Handwritten code stays far below them.
    enum Limit {
        /// The number of open brackets, `#if` directives, and interpolations.
        static let brackets = 100
        /// The number of open square brackets with no brace between them.
        static let squares = 12
        /// The number of tokens in the statements and elements that haven't ended yet.
        static let tokens = 1_000
    }

    /// An open bracket or string, or the file itself.
    private struct Frame {
        let opener: Unicode.Scalar
        /// The number of open square brackets since the last brace.
        var squares = 0
        /// The number of tokens since the last separator.
        var tokens = 0
        /// The characters that end the string.
        var end: [Unicode.Scalar] = []
        /// The characters that begin an escape in the string.
        var escape: [Unicode.Scalar] = []
    }

    /// The role of a token; after a prefix, a new line can't begin a new statement.
    private enum Token { case separator, value, prefix }

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var frames = [Frame(opener: "\0")]
    private var tokens = 0
    private var isTooDeep = false
    private var previous: Token = .separator
    private var isAfterNewline = false

    /// Returns whether source code exceeds a limit.
    static func isTooDeep(_ text: String) -> Bool {
        var nesting = Nesting(scalars: Array(text.unicodeScalars))
        while nesting.index < nesting.scalars.count, !nesting.isTooDeep {
            if nesting.frames[nesting.frames.count - 1].opener == "\"" { nesting.string() } else { nesting.code() }
        }
        return nesting.isTooDeep
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private func scalar(_ offset: Int = 0) -> Unicode.Scalar {
        index + offset < scalars.count ? scalars[index + offset] : "\0"
    }

    private func isAt(_ text: some Sequence<Unicode.Scalar>) -> Bool { scalars[index...].starts(with: text) }
    private func isAt(_ text: String) -> Bool { isAt(text.unicodeScalars) }
    private func isAt(directive text: String) -> Bool { isAt(text) && !scalar(text.utf8.count).isWordPart }

    /// Reads a token, or white space, in code.
    private mutating func code() {
        switch scalar() {
        case "\n", "\r":
            isAfterNewline = true
            index += 1
        case " ", "\t": index += 1
        case "/" where isAt("//"): while index < scalars.count, scalar() != "\n", scalar() != "\r" { index += 1 }
        case "/" where isAt("/*"): comment()
        case ",", ";": separate(length: 1)
        case "(", "[", "{": open(scalar())
        case ")": close("(")
        case "]": close("[")
        case "}": close("{")
        case "#" where isAt(directive: "#if"): open("#", length: 3)
        case "#" where isAt(directive: "#endif"): close("#", length: 6)
        case "#", "\"":
            let hashes = scalars[index...].prefix { $0 == "#" }
            index += hashes.count
            guard scalar() == "\"" else { break }
            count(.value)
            let quotes = Array(repeating: "\"" as Unicode.Scalar, count: isAt("\"\"\"") ? 3 : 1)
            index += quotes.count
            let squares = frames[frames.count - 1].squares
            frames.append(Frame(opener: "\"", squares: squares, end: quotes + hashes, escape: ["\\"] + hashes))
        case let first where first.isWordPart: word()
        default: symbol()
        }
    }

    /// Skips a block comment, including comments nested in it.
    private mutating func comment() {
        var depth = 0
        repeat {
            let change = isAt("/*") ? 1 : isAt("*/") ? -1 : 0
            depth += change
            index += change == 0 ? 1 : 2
        } while depth > 0 && index < scalars.count
    }

    /// Reads one element of a string: its end, an escape, an interpolation, or a character.
    private mutating func string() {
        let frame = frames[frames.count - 1]
        let isMultiline = frame.end.starts(with: "\"\"\"".unicodeScalars)
        if isAt(frame.end) {
            index += frame.end.count
            frames.removeLast()
        } else if !isMultiline, scalar() == "\n" || scalar() == "\r" {
            frames.removeLast()
        } else if isAt(frame.escape) {
            index += frame.escape.count
            if scalar() == "(" { open("(") } else { index += 1 }
        } else {
            index += 1
        }
    }

    private mutating func open(_ opener: Unicode.Scalar, length: Int = 1) {
        count(.value)
        let isBlock = opener == "{" || opener == "#"
        let squares = isBlock ? 0 : frames[frames.count - 1].squares + (opener == "[" ? 1 : 0)
        frames.append(Frame(opener: opener, squares: squares))
        isTooDeep = isTooDeep || frames.count > Limit.brackets + 1 || squares > Limit.squares
        index += length
        previous = .separator
    }

    /// Closes the innermost bracket of a kind, together with the brackets that are still open inside it.
    private mutating func close(_ opener: Unicode.Scalar, length: Int = 1) {
        index += length
        guard let position = frames.lastIndex(where: { $0.opener == opener }) else { return }
        tokens -= frames[position...].reduce(0) { $0 + $1.tokens }
        frames.removeSubrange(position...)
        previous = .value
        isAfterNewline = false
    }

    /// The words that must be followed by the rest of an expression or type, even on the next line.
    private static let prefixes = Words.list(
        """
        any as await borrowing case consume consuming copy each else if in inout is let repeat return sending some throw
        try unsafe var where
        """)
    private static let operators = Set("=-+!*%<>&|^~?".unicodeScalars)

    private mutating func word() {
        let start = index
        while scalar().isWordPart { index += 1 }
        let word = String(String.UnicodeScalarView(scalars[start..<index]))
        count(Self.prefixes.contains(word) ? .prefix : .value, isContinuation: word == "else")
    }

    private mutating func symbol() {
        let isArrow = isAt("->") && !Self.operators.contains(scalar(2))
        let isSpaced = index > 0 && scalars[index - 1].isBlank
        let length = max(scalars[index...].prefix(while: Self.operators.contains).count, 1)
        index += length
        // Count from zero after a binary operator: the parser reads its operands in a loop, not recursively.
        if isSpaced, scalar().isBlank, !isArrow { return separate() }
        for _ in 0..<length { count(.prefix, isContinuation: true) }
    }

    /// Begins a new statement, element, or operand.
    private mutating func separate(length: Int = 0) {
        tokens -= frames[frames.count - 1].tokens
        frames[frames.count - 1].tokens = 0
        previous = .prefix
        isAfterNewline = false
        index += length
    }

    /// Counts a token, which might be the first token of a new statement.
    private mutating func count(_ token: Token, isContinuation: Bool = false) {
        let isInBlock = "{#\0".unicodeScalars.contains(frames[frames.count - 1].opener)
        if isAfterNewline, isInBlock, previous != .prefix, !isContinuation { separate() }
        isAfterNewline = false
        previous = token
        frames[frames.count - 1].tokens += 1
        tokens += 1
        isTooDeep = isTooDeep || tokens > Limit.tokens
    }
}

extension Unicode.Scalar {
    fileprivate var isBlank: Bool { [" ", "\t", "\n", "\r"].contains(self) }

    /// Whether the scalar belongs to a name or a number.
    fileprivate var isWordPart: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "$", "`", "\u{80}"...: true
        default: false
        }
    }
}
