import SwiftSyntax

/// The comments in a file, by the lines to which they apply.
struct Comments {
    /// A comment for this tool, such as `error-audit: harmless, because …`.
    enum Mark: Equatable { case none, harmless, withoutReason }

    private var marks: [Int: Mark] = [:]
    /// The ranges from `error-audit: off, because …` to `error-audit: on` or the end of the file, each with its mark.
    private var ranges: [(start: Int, end: Int, mark: Mark)] = []
    private var texts: [Int: String] = [:]

    init(_ file: SourceText) {
        for token in file.tree.allTokens {
            var position = token.position
            for piece in token.leadingTrivia {
                if case .lineComment(let text) = piece {
                    add(text, at: file.line(of: position), before: file.line(of: token))
                }
                position += piece.sourceLength
            }
            for case .lineComment(let text) in token.trailingTrivia {
                let end = file.line(of: token.endPositionBeforeTrailingTrivia)
                add(text, at: end, before: end)
            }
        }
    }

    private mutating func add(_ comment: String, at line: Int, before next: Int) {
        texts[line] = comment
        guard let range = comment.firstRange(of: "error-audit:") else { return }
        let text = comment[range.upperBound...].drop { $0 == " " }
        let reason = text.firstRange(of: "because").map { text[$0.upperBound...].filter(\.isLetter).count } ?? 0
        let mark: Mark = reason > 2 ? .harmless : .withoutReason
        if text.hasPrefix("off") {
            ranges.append((line, .max, mark))
        } else if text.hasPrefix("on"), let last = ranges.indices.last {
            ranges[last].end = line
        } else {
            marks[next] = text.hasPrefix("harmless") ? mark : .withoutReason
        }
    }

    /// Returns the mark of a line.
    func mark(at line: Int) -> Mark {
        marks[line] ?? ranges.last { $0.start <= line && line < $0.end }?.mark ?? .none
    }

    /// Returns whether an ordinary comment on the line of a loss, before it, or in its block explains the loss.
    func explains(_ loss: Loss, in file: SourceText) -> Bool {
        let line = file.line(of: loss.token)
        let end = loss.block?.parent.map { file.line(of: $0.endPositionBeforeTrailingTrivia) } ?? line
        var start = line
        while texts[start - 1] != nil { start -= 1 }
        let words = Words.of((start...max(line, min(end, line + 12))).compactMap { texts[$0] }.joined(separator: " "))
        return words.count > 3 && !Words.reasons.isDisjoint(with: words) && !words.contains("todo")
    }
}
