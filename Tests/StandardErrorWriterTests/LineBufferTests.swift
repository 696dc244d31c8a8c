import TestSupport
import Testing

@testable import StandardErrorWriter

@Suite(
    "Promise 25: a line buffer keeps lines whole and in order, and counts lost lines", .tags(.promise25), .hangLimit
)
struct LineBufferTests {}

extension LineBufferTests {
    private func line(_ text: String) -> [UInt8] { Array("\(text)\n".utf8) }

    @Test("lines that are written together fit into one atomic write to a pipe, unless a single line is longer")
    func batches() {
        var buffer = LineBuffer()
        let (short, long) = (String(repeating: "s", count: 1_500), String(repeating: "l", count: 5_000))
        for text in [short, short, short, long, short] { buffer.add(line(text)) }
        for batch in ["\(short)\n\(short)\n", "\(short)\n", "\(long)\n", "\(short)\n", ""] {
            expect(buffer.next(), equals: batch)
            buffer.wrote(batch.utf8.count)
        }
        expect(buffer.pending, equals: 0)
    }

    @Test("the remainder of a line comes before later lines")
    func remainder() {
        var buffer = LineBuffer()
        buffer.add(line("long"))
        expect(buffer.next(), equals: "long\n")
        buffer.add(line("behind"))
        buffer.wrote(2)
        expect(buffer.next(), equals: "ng\n")
        buffer.wrote(0)
        expect(buffer.next(), equals: "ng\n")
        buffer.wrote(3)
        expect(buffer.next(), equals: "behind\n")
    }

    @Test("lines that don't fit are counted, and the count is written right after the first successful write")
    func lost() {
        var buffer = LineBuffer()
        buffer.add(line("one"))
        expect(buffer.next(), equals: "one\n")
        for text in ["two", "three", "six", "seven"] { buffer.add(line(text), limit: 12) }
        expect(buffer.pending, equals: 12)
        buffer.wrote(4)
        let notice = "error-bus: standard error took no more, and 2 lines were lost\n"
        expect(buffer.next(), equals: notice)
        buffer.wrote(notice.utf8.count)
        expect(buffer.next(), equals: "two\nsix\n")
        buffer.wrote(8)
        // If no line is pending, a line that is longer than the limit is accepted.
        buffer.add(line("a long one"), limit: 4)
        expect(buffer.next(), equals: "a long one\n")
    }

    @Test("failed lines are counted, and the count follows a success and a truncated line's newline")
    func failed() {
        var buffer = LineBuffer()
        buffer.add(line("one"))
        _ = buffer.next()
        buffer.wrote(-1)
        expect(buffer.next(), equals: "")
        buffer.add(line("two"))
        _ = buffer.next()
        buffer.wrote(1)
        buffer.wrote(-1)
        buffer.add(line("three"))
        expect(buffer.next(), equals: "\nthree\n")
        buffer.wrote(7)
        let notice = "error-bus: standard error took no more, and 2 lines were lost\n"
        expect(buffer.next(), equals: notice)
        // The notice can fail too, but its count isn't lost.
        buffer.wrote(-1)
        expect(buffer.next(), equals: "")
        buffer.add(line("four"))
        expect(buffer.next(), equals: "four\n")
        buffer.wrote(5)
        expect(buffer.next(), equals: notice)

        // A line that lacks only its newline isn't lost: the newline is written together with the next line.
        var ending = LineBuffer()
        ending.add(line("one"))
        _ = ending.next()
        ending.wrote(3)
        ending.wrote(-1)
        ending.add(line("two"))
        expect(ending.next(), equals: "\ntwo\n")
        ending.wrote(5)
        expect(ending.next(), equals: "")
    }

    @Test("lines that the thread hasn't begun can be taken from it, together with the count of lost lines")
    func takingOver() {
        var buffer = LineBuffer()
        buffer.add(line("begun"))
        _ = buffer.next()
        buffer.thread = .writing
        buffer.wrote(1)
        buffer.add(line("behind"))
        buffer.add(line("lost"), limit: 1)
        var taken = buffer.takeRest()
        let notice = "\nerror-bus: standard error took no more, and 1 line was lost\n"
        expect(taken.next(), equals: notice)
        taken.wrote(notice.utf8.count)
        expect(taken.next(), equals: "behind\n")
        expect(buffer.next(), equals: "egun\n")
        buffer.wrote(5)
        expect(buffer.next(), equals: "")
    }

    @Test("lost lines whose notice the thread has begun aren't announced again when other lines are taken from it")
    func takingOverBehindNotice() {
        var buffer = LineBuffer()
        buffer.wrote(0)
        buffer.add(line("pending"))
        for _ in 0..<3 { buffer.add(line("lost"), limit: 1) }
        let begun = buffer.next()
        expect(begun, equals: "error-bus: standard error took no more, and 3 lines were lost\n")
        buffer.thread = .writing
        buffer.add(line("lost later"), limit: 1)
        var taken = buffer.takeRest()
        expect(taken.next(), equals: "error-bus: standard error took no more, and 1 line was lost\n")
        buffer.wrote(begun.count)
        expect(buffer.next(), equals: "")
    }

    @Test("all lines are written or counted, however the writes end", arguments: 0..<(isLong ? 100 : 20))
    func walk(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var buffer = LineBuffer()
        var (sent, file) = (0, "")
        func write(_ count: Int, of bytes: ArraySlice<UInt8>) {
            file += String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            buffer.wrote(count)
        }
        for _ in 0..<400 {
            if Int.random(in: 0..<2, using: &random) == 0 {
                sent += 1
                let padding = String(repeating: "x", count: .random(in: 0..<5_000, using: &random))
                buffer.add(line("\(sent) \(padding)."), limit: 20_000)
            }
            let bytes = buffer.next()
            if bytes.isEmpty { continue }
            let chance = Int.random(in: 0..<10, using: &random)
            write(chance < 5 ? bytes.count : chance < 8 ? .random(in: 0...bytes.count, using: &random) : -1, of: bytes)
        }
        // End with a success, so that the last lost lines are counted.
        for text in ["", "last."] {
            if !text.isEmpty { buffer.add(line(text)) }
            while true {
                let bytes = buffer.next()
                if bytes.isEmpty { break }
                write(bytes.count, of: bytes)
            }
        }
        let lines = file.nonemptyLines
        let whole = lines.filter { $0.hasSuffix(".") }.compactMap { Int($0.prefix { $0 != " " }) }
        expect(whole, equals: whole.sorted())
        expect(Set(whole).count, equals: whole.count)
        // A truncated notice is written again.
        expect(lines.filter { $0.hasSuffix("lost") }.countOfLost, equals: sent - whole.count)
    }
}

private func expect(
    _ bytes: ArraySlice<UInt8>, equals text: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line
) {
    expect(String(decoding: bytes, as: UTF8.self), equals: text, fileID: fileID, filePath: filePath, line: line)
}
