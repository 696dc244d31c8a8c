import TestSupport
import Testing

@testable import BoundedDescriptions

@Suite("Promise 24: a string is escaped to one line and truncated at its limit", .tags(.promise24), .hangLimit)
struct OneLineTests {}

extension OneLineTests {
    /// Strings that stay as they are, many of them with joiners and selectors.
    static let whole = [
        "", "plain", "Ünïcödé, e\u{301}", "日本語", "👩‍👩‍👧", "👩🏽‍🚀", "🧔‍♂️", "❤️‍🔥", "🏳️‍🌈", "👁️‍🗨️", "☎︎ ☎️",
        "©️ ™️ ℹ️", "1️⃣ #️⃣ *️⃣", "🇩🇪",
        "می\u{200C}خواهم", "ه\u{200D}", "مَ\u{200C}ن", "क्\u{200D}ष", "ക്\u{200C}", "ന്\u{200D} ", "ශ්\u{200D}රී",
        "র\u{200D}্য", "Auf\u{200C}lage", "葛\u{E0100}城", "ᠠ\u{180B}", "\u{E000}",
        "\u{200C}", "a \u{200D}b", "7\u{FE00}", "x\u{E0158}", "👩\u{FE0F}\u{FE0F}",
    ]

    /// Characters that are invisible or misleading.
    static let hidden: [String] = [
        "\n", "\r", "\t", "\0", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}", "\u{202E}", "\u{2066}",
        "\u{200F}", "\u{61C}", "\u{200B}", "\u{FEFF}", "\u{AD}", "\u{2060}", "\u{2064}", "\u{E0001}", "\u{E0041}",
        "\u{115F}", "\u{1160}", "\u{3164}", "\u{FFA0}", "\u{34F}", "\u{180E}", "\u{17B4}", "\u{1D173}", "\u{FFF0}",
    ]

    @Test("a visible string stays as it is, and joiners and variation selectors stay anywhere")
    func keeps() {
        for text in Self.whole {
            expect(Array(OneLine.escaped(text).unicodeScalars), equals: Array(text.unicodeScalars))
            let line = "x" + text + " y"
            expect(Array(OneLine.escaped(line).unicodeScalars), equals: Array(line.unicodeScalars))
        }
    }

    @Test("characters that break a line, reorder it, or are invisible are escaped everywhere")
    func escapes() {
        for text in Self.hidden {
            let name = Comment(rawValue: text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())
            for (prefix, suffix) in [("", ""), ("a", "b"), ("👩", "👧"), ("क्", "ष"), (" ", " ")] {
                let line = OneLine.escaped(prefix + text + suffix)
                #expect(line.hasPrefix(prefix + "\\"), name)
                #expect(line.hasSuffix(suffix), name)
                #expect(line.unicodeScalars.count > (prefix + text + suffix).unicodeScalars.count, name)
                #expect(Set(line.unicodeScalars).isDisjoint(with: text.unicodeScalars), name)
            }
        }
    }

    @Test("common characters have named escapes, and others have numeric escapes")
    func forms() {
        expect(OneLine.escaped("a\nb\rc\td\u{1B}e\u{200B}f\"\\"), equals: #"a\nb\rc\td\u{1b}e\u{200b}f"\"#)
        expect(OneLine.quoted("a\"\\\n"), equals: #""a\"\\\n""#)
        expect(["word", "wörd", ""].map { OneLine.bare($0) }, equals: ["word", #""wörd""#, #""""#])
        for text in ["a b", "a=b", "a\"b", "a\\b", "a\u{A0}b", "ä=b"] {
            expect(OneLine.bare(text), equals: OneLine.quoted(text))
        }
        expect(OneLine.bare("a\u{200B}"), equals: #""a\u{200b}""#)
    }

    // MARK: Length

    @Test("a string of 16 KiB stays whole, and a string that is one byte longer is truncated, with a mark")
    func cut() {
        let limit = 16 * 1_024
        let text = String(repeating: "a", count: limit)
        expect(OneLine.escaped(text), equals: text)
        expect(OneLine.inQuotes(text), equals: text)
        expect(OneLine.bare(text), equals: text)
        expect(OneLine.escaped(text + "a"), equals: text.dropLast(3) + "…")
        expect(OneLine.quoted(text + "a"), equals: "\"\(text.dropLast(3))…\"")
        expect(OneLine.bare(text + "a"), equals: "\"\(text.dropLast(3))…\"")
        let escaped = OneLine.escaped(String(repeating: "\n", count: limit / 2))
        expect(escaped.utf8.count, equals: limit)
        #expect(!escaped.contains("…"))
    }

    @Test("a string is truncated between scalars, and never within an escape")
    func cutBetweenScalars() {
        for unit in ["é", "日", "👩", "\u{200B}", "\n", "\"", "\\"] {
            for offset in 0..<8 {
                let start = String(repeating: "a", count: offset)
                let line = OneLine.inQuotes(start + String(repeating: unit, count: 16 * 1_024))
                #expect((16 * 1_024 - 64...16 * 1_024).contains(line.utf8.count))
                #expect(line.hasSuffix("…"))
                let body = line.dropFirst(offset).dropLast()
                let one = OneLine.inQuotes(unit)
                let whole = String(repeating: one, count: body.utf8.count / one.utf8.count)
                expect(Array(body.utf8), equals: Array(whole.utf8))
            }
        }
    }

    @Test("a character with ten million combining marks is truncated too, and only the part that fits is read")
    func endlessCharacter() {
        let marks = "e" + String(repeating: "\u{301}", count: 10_000_000)
        #expect(OneLine.escaped(marks).utf8.count <= 16 * 1_024)
        #expect(OneLine.escaped("before " + marks).utf8.starts(with: "before e\u{301}\u{301}".utf8))
        let joined = String(repeating: "👩\u{200D}", count: 1_000_000)
        #expect(OneLine.escaped(joined).utf8.count <= 16 * 1_024)
    }
}
