@testable import StandardErrorWriter

/// A ``LineBuffer`` in the plainest way: a list of whole lines, of which the first may be begun.
struct NaiveLines {
    private struct Item {
        var text: [UInt8]
        /// The number of lost lines that the line announces; nil for a line that somebody sent.
        var told: Int?
    }

    let limit: Int
    private var items: [Item] = []
    private var offer = 0
    /// How many bytes of the first line are written.
    private(set) var begun = 0
    /// Whether the file ends with a cut line, whose rest was given up.
    private(set) var isCut = false
    /// The number of lost lines that are not announced yet.
    private(set) var lost = 0
    /// The number of lost lines that were announced.
    private(set) var toldInAll = 0
    /// What was written to each file.
    private(set) var files: [[UInt8]] = [[]]

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { items.isEmpty }

    /// The bytes that wait, the next to be written first.
    var waiting: [UInt8] { (isCut ? [UInt8(ascii: "\n")] : []) + lines }

    private var lines: ArraySlice<UInt8> { items.flatMap(\.text).dropFirst(begun) }

    mutating func arrive(_ line: [UInt8]) {
        if items.isEmpty || lines.count + line.count <= limit { items.append(Item(text: line)) } else { lost += 1 }
    }

    /// Notes how many bytes are about to be written.
    mutating func offered(_ count: Int) { offer = count }

    /// Notes how many of the offered bytes were written.
    mutating func wrote(_ count: Int) {
        files[files.count - 1] += waiting.prefix(count)
        begun += count - (isCut ? 1 : 0)
        isCut = false
        while let first = items.first, begun >= first.text.count {
            begun -= first.text.count
            toldInAll += first.told ?? 0
            items.removeFirst()
        }
        offer -= count
        if offer == 0, lost > 0 {
            let lines = lost == 1 ? "1 line was" : "\(lost) lines were"
            let text = "error-bus: standard error took no more, and \(lines) lost\n"
            items.insert(Item(text: Array(text.utf8), told: lost), at: 0)
            lost = 0
        }
    }

    /// Notes that the offered bytes failed: the lines whose ends are among them are lost.
    mutating func failed() {
        var left = begun + offer - (isCut ? 1 : 0)
        isCut = isCut || begun > 0
        while left > 0 {
            let item = items.removeFirst()
            left -= item.text.count
            // A line that lacks only its end will get it, and is not lost.
            if begun == item.text.count - 1 { toldInAll += item.told ?? 0 } else { lost += item.told ?? 1 }
            begun = 0
        }
    }

    /// Another file takes the place of this one.
    mutating func replaced() {
        files.append([])
        isCut = false
        begun = 0
    }
}
