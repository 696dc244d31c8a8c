import Foundation

/// A page as GitHub reads it: its headings with their anchors, and its links.
package struct MarkdownPage {
    /// A link or a picture outside code.
    package struct Link: Equatable {
        /// The destination as the page writes it; nil if the page doesn't define the link's label.
        package let target: String?
        package let label: String
        package let line: Int
        package let isPicture: Bool
    }

    private let text: String
    /// The text with spaces instead of code and comments, at the same positions.
    private let prose: String

    package init(_ text: String) {
        self.text = text
        prose = Self.withoutCode(text)
    }

    /// The text and the line of each heading, in order.
    package var headings: [(text: String, line: Int)] {
        // A code span is part of its heading, so find the heading in the prose and read it from the text.
        zip(prose.lines, text.lines).enumerated().compactMap { index, lines in
            guard lines.0.starts(with: /#{1,6}\s/), let heading = lines.1.wholeMatch(of: /#+ +(.*?)( +#+)?\s*/)?.1
            else {
                return nil
            }
            return (String(heading), index + 1)
        }
    }

    /// The anchors of the headings, in order.
    ///
    /// GitHub lowers the letters of a heading's text, removes everything but letters, digits, spaces, `-`, and `_`, and
    /// replaces each space with `-`. A repeated anchor gets the suffix `-1`, then `-2`.
    package var anchors: [String] {
        var uses: [String: Int] = [:]
        return headings.map { heading in
            let scalars = heading.text.lowercased().unicodeScalars.filter { scalar in
                scalar == " " || scalar == "-" || Self.isOfWord(scalar)
            }
            let anchor = String(String.UnicodeScalarView(scalars)).replacing(" ", with: "-")
            defer { uses[anchor, default: 0] += 1 }
            return uses[anchor].map { "\(anchor)-\($0)" } ?? anchor
        }
    }

    /// The language and the line of each fence that begins a block of code, in order.
    package var fences: [(language: String, line: Int)] {
        var open: Substring?
        return text.lines.enumerated().compactMap { index, line in
            guard let fence = line.firstMatch(of: /^ *(`{3,}|~{3,})(.*)$/) else { return nil }
            if let begin = open {
                if fence.1.hasPrefix(begin) { open = nil }
                return nil
            }
            open = fence.1
            return (String(fence.2), index + 1)
        }
    }

    /// The page's links, in order: inline links, links by a label that the page defines, and HTML attributes.
    package var links: [Link] {
        let definitions = Dictionary(
            prose.matches(of: /(?:^|\n) {0,3}\[([^\]]+)\]: *<?([^\s>]+)/).map { ($0.1.lowercased(), String($0.2)) },
            uniquingKeysWith: { first, _ in first })
        let inline = prose.matches(of: /\]\( *<?([^)\s>]*)[^)]*\)/).map { link in
            (link.range.lowerBound, Optional(String(link.1)), "", isPicture(endingAt: link.range.lowerBound))
        }
        let labelled = prose.matches(of: /\]\[([^\]]*)\]/).map { link in
            let start = opening(of: link.range.lowerBound) ?? link.range.lowerBound
            let words = text[start..<link.range.lowerBound].dropFirst()
            let label = link.1.isEmpty ? String(words) : String(link.1)
            return (
                link.range.lowerBound, definitions[label.lowercased()], label,
                isPicture(endingAt: link.range.lowerBound)
            )
        }
        let defined = prose.matches(of: /(?:^|\n) {0,3}\[[^\]]+\]: *<?([^\s>]+)/).map { definition in
            (definition.1.startIndex, Optional(String(definition.1)), "", false)
        }
        let autolinks = prose.matches(of: /<(doc:[^>]*)>/).map { link in
            (link.range.lowerBound, Optional(String(link.1)), "", false)
        }
        let attributes = prose.matches(of: /<(\w+)[^>]* (?:src|srcset|href)="([^"]*)"/).map { link in
            (link.2.startIndex, Optional(String(link.2)), "", link.1 != "a")
        }
        return (inline + labelled + defined + autolinks + attributes).sorted { $0.0 < $1.0 }.map {
            Link(target: $0.1, label: $0.2, line: line(of: $0.0), isPicture: $0.3)
        }
    }

    /// Returns the number of the line at a position.
    private func line(of position: String.Index) -> Int { 1 + prose[..<position].count { $0 == "\n" } }

    /// Whether the brackets that a position closes follow an exclamation mark.
    private func isPicture(endingAt position: String.Index) -> Bool {
        guard let start = opening(of: position), start > prose.startIndex else { return false }
        return prose[prose.index(before: start)] == "!"
    }

    /// Returns the position of the opening bracket for the closing bracket at a position.
    private func opening(of position: String.Index) -> String.Index? {
        var depth = 0
        for index in prose[...position].indices.reversed() {
            if prose[index] == "]" { depth += 1 }
            if prose[index] == "[" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Whether an anchor keeps a scalar: a letter, a mark, a decimal digit, or a connector such as `_`.
    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation:
            true
        default: false
        }
    }

    /// Returns a text with spaces instead of fenced blocks, code spans, and comments.
    private static func withoutCode(_ text: String) -> String {
        let code = /\n *(`{3,}|~{3,})[^\n]*\n.*?\n *\1|<!--.*?-->|(?<ticks>`+)[^`](?:(?!\n\n).)*?\k<ticks>(?!`)/
            .dotMatchesNewlines()
        // The positions of the two texts must agree, so the replacement has as many UTF-8 units.
        return text.replacing(code) { match in
            String(decoding: match.0.utf8.map { $0 == 0x0A ? $0 : 0x20 }, as: UTF8.self)
        }
    }
}

extension String {
    fileprivate var lines: [Substring] { split(separator: "\n", omittingEmptySubsequences: false) }
}
