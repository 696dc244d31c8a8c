import SwiftSyntax

/// Finds the comments about a location.
struct Comments {
    /// A comment for this tool: `error-audit: harmless, because …`.
    enum Mark: Equatable {
        case none
        case harmless
        /// The comment has no reason.
        case withoutReason(line: Int)
    }

    let file: SourceText

    /// Returns the comment for this tool at the end of a line or in the comment lines before it.
    func mark(at line: Int) -> Mark {
        for number in [line] + lines(before: line) {
            guard let comment = comment(in: file.text(ofLine: number)),
                let range = comment.firstRange(of: "error-audit:")
            else { continue }
            let text = comment[range.upperBound...]
            guard let because = text.firstRange(of: "because") else { return .withoutReason(line: number) }
            let reason = text[because.upperBound...].filter(\.isLetter)
            return text.contains("harmless") && reason.count > 2 ? .harmless : .withoutReason(line: number)
        }
        return .none
    }

    /// Returns the reason in an ordinary comment on a line, in the lines before it, or in a block.
    func reason(at line: Int, in block: CodeBlockItemListSyntax? = nil, upTo end: Int? = nil) -> String? {
        let inside = end.map { Array(line...max(line, $0)) } ?? [line]
        for number in inside {
            guard let text = comment(in: file.text(ofLine: number)), Self.isProse(text) else { continue }
            // Accept every sentence in a `catch`, because it explains the `catch`.
            if end != nil ? true : Self.givesReason(text) { return text }
        }
        let before = lines(before: line).compactMap { comment(in: file.text(ofLine: $0)) }.reversed().joined(
            separator: " ")
        return Self.isProse(before) && Self.givesReason(before) ? before : nil
    }

    /// Returns the numbers of the comment lines directly before a line, the closest first.
    private func lines(before line: Int) -> [Int] {
        var numbers: [Int] = []
        var number = line - 1
        while number > 0, file.text(ofLine: number).hasPrefix("//"), !file.text(ofLine: number).hasPrefix("///") {
            numbers.append(number)
            number -= 1
        }
        return numbers
    }

    private func comment(in line: String) -> String? {
        var start = line.startIndex
        while let slashes = line[start...].firstRange(of: "//") {
            // Skip slashes after a colon: they belong to a URL.
            if slashes.lowerBound == line.startIndex || line[line.index(before: slashes.lowerBound)] != ":" {
                let text = line[slashes.upperBound...].drop { $0 == "/" || $0 == " " }
                return text.hasPrefix("swiftlint:") || text.hasPrefix("swift-format") ? nil : String(text)
            }
            start = slashes.upperBound
        }
        return nil
    }

    private static func isProse(_ text: String) -> Bool {
        let words = text.split(whereSeparator: { !$0.isLetter && $0 != "'" })
        let hasMarker = words.contains { ["TODO", "FIXME", "XXX", "HACK", "MARK"].contains($0) }
        let isCode = [" = ", "{", "()", ");", "] ", "self."].contains { text.contains($0) }
        let isPlan = hasMarker || text.lowercased().hasPrefix("handle")
        return words.count >= 3 && !isPlan && !isCode
    }

    private static func givesReason(_ text: String) -> Bool {
        let words = Set(text.lowercased().split(whereSeparator: { !$0.isLetter && $0 != "'" }).map(String.init))
        return !words.isDisjoint(with: cues)
    }

    private static let cues: Set = [
        "already", "always", "anyway", "avoid", "because", "best", "can't", "cannot", "could", "doesn't", "don't",
        "expected",
        "fails",
        "fail", "failing", "fall", "fallback", "fine", "harmless", "ignore", "ignored", "ignores", "ignoring",
        "intentional",
        "intentionally", "may", "might", "mitigate", "never", "not", "optional", "otherwise", "regardless", "safe",
        "safely",
        "silently", "since", "so", "swallow", "won't", "isn't", "ok", "okay", "needn't", "deliberate", "deliberately",
        "errors", "error", "throws", "throw",
    ]
}
