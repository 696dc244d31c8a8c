import TestSupport
import Testing

@testable import StandardErrorWriter

@Suite("Behaviour 25: a line buffer decides who writes which lines, and counts what is lost", .tags(.behaviour25))
struct LineBufferTests {}

extension LineBufferTests {
    private static let file = LineBuffer.Target(device: 1, number: 1)

    @Test("the remainder of a line goes to the thread, before what came behind it")
    func remainder() {
        var buffer = LineBuffer()
        _ = buffer.arrive(line("long"))
        expect(buffer.arrive(line("behind")), equals: .rest)
        expect(buffer.attempted(.wrote(2, Self.file)), equals: .startThread)
        expect(buffer.arrive(line("later")), equals: .rest)
        expect(buffer.threadBegins(), equals: .write("ng\n", continuing: Self.file))
        expect(buffer.attempted(.wouldBlock), equals: .wait)
        expect(buffer.again(), equals: .write("ng\n", continuing: Self.file))
        expect(buffer.attempted(.wrote(3, Self.file)), equals: .write("behind\nlater\n"))
        expect(buffer.attempted(.wrote(13, Self.file)), equals: .rest)
    }

    @Test("where nothing is in the way the poster writes; the thread is started once, and woken from then on")
    func startedOnce() {
        var buffer = LineBuffer()
        expect(buffer.arrive(line("none")), equals: .write("none\n"))
        expect(buffer.attempted(.wrote(5, Self.file)), equals: .rest)
        expect(buffer.pending, equals: 0)
        _ = buffer.arrive(line("one"))
        expect(buffer.attempted(.wouldBlock), equals: .startThread)
        expect(buffer.threadBegins(), equals: .write("one\n"))
        expect(buffer.attempted(.wrote(4, Self.file)), equals: .rest)
        _ = buffer.arrive(line("two"))
        expect(buffer.attempted(.needsThread), equals: .wakeThread)
    }

    @Test("where no thread can be started the next poster tries, with what waits first")
    func noThread() {
        var buffer = LineBuffer()
        _ = buffer.arrive(line("one"))
        expect(buffer.attempted(.wrote(2, Self.file)), equals: .startThread)
        buffer.threadDidNotStart()
        expect(buffer.arrive(line("two")), equals: .write("e\n", continuing: Self.file))
        expect(buffer.attempted(.wrote(2, Self.file)), equals: .write("two\n"))
        expect(buffer.attempted(.wouldBlock), equals: .startThread)
    }

    @Test("a poster writes some lines of others behind its own, then leaves them to the thread")
    func linesOfOthers() {
        var buffer = LineBuffer()
        let long = String(repeating: "x", count: LineBuffer.atomicSize - 1)
        expect(buffer.arrive(line("own")), equals: .write("own\n"))
        for _ in 0...LineBuffer.batchesOfOthers { expect(buffer.arrive(line(long)), equals: .rest) }
        var step = buffer.attempted(.wrote(4, Self.file))
        for _ in 0..<LineBuffer.batchesOfOthers {
            expect(step, equals: .write(long + "\n"))
            step = buffer.attempted(.wrote(LineBuffer.atomicSize, Self.file))
        }
        expect(step, equals: .startThread)
    }

    @Test("what is written together fits a pipe in one piece, unless one line alone is longer")
    func batches() {
        var buffer = LineBuffer()
        _ = buffer.arrive(line("first"))
        let (short, long) = (String(repeating: "s", count: 1_500), String(repeating: "l", count: 5_000))
        for text in [short, short, short, long, short] { _ = buffer.arrive(line(text)) }
        expect(buffer.attempted(.wrote(6, Self.file)), equals: .write("\(short)\n\(short)\n"))
        expect(buffer.attempted(.wrote(3_002, Self.file)), equals: .write("\(short)\n"))
        expect(buffer.attempted(.wrote(1_501, Self.file)), equals: .write("\(long)\n"))
        expect(buffer.attempted(.wrote(5_001, Self.file)), equals: .write("\(short)\n"))
    }

    @Test("what does not fit is counted, and the count is written right after the first write that succeeds")
    func lost() {
        var buffer = LineBuffer(limit: 12)
        _ = buffer.arrive(line("one"))
        _ = buffer.attempted(.wouldBlock)
        for text in ["two", "three", "six", "seven"] { _ = buffer.arrive(line(text)) }
        expect(buffer.pending, equals: 12)
        expect(buffer.threadBegins(), equals: .write("one\n"))
        let notice = "error-bus: standard error took no more, and 2 lines were lost\n"
        expect(buffer.attempted(.wrote(4, Self.file)), equals: .write(notice))
        expect(buffer.attempted(.wrote(notice.utf8.count, Self.file)), equals: .write("two\nsix\n"))
        expect(buffer.attempted(.wrote(8, Self.file)), equals: .rest)
        // Where nothing waits, a line that is longer than the limit is taken.
        var small = LineBuffer(limit: 4)
        expect(small.arrive(line("a long one")), equals: .write("a long one\n"))
        expect(small.arrive(line("b")), equals: .rest)
        _ = small.attempted(.wrote(11, Self.file))
        expect(small.attempted(.failed), equals: .rest)
    }

    @Test("what failed is counted, and the count is written after a success; a line that was cut gets an end first")
    func failed() {
        var buffer = LineBuffer()
        _ = buffer.arrive(line("one"))
        expect(buffer.attempted(.failed), equals: .rest)
        _ = buffer.arrive(line("two"))
        _ = buffer.attempted(.wrote(1, Self.file))
        _ = buffer.threadBegins()
        expect(buffer.attempted(.failed), equals: .rest)
        expect(buffer.arrive(line("three")), equals: .write("\nthree\n", continuing: Self.file))
        let notice = "error-bus: standard error took no more, and 2 lines were lost\n"
        expect(buffer.attempted(.wrote(7, Self.file)), equals: .write(notice))
        // So does the notice, and its count is not lost.
        expect(buffer.attempted(.failed), equals: .rest)
        _ = buffer.arrive(line("four"))
        expect(buffer.attempted(.wrote(5, Self.file)), equals: .write(notice))

        // A line that lacks but its end is not lost: it gets the end with the next one.
        var ending = LineBuffer()
        _ = ending.arrive(line("one"))
        _ = ending.attempted(.wrote(3, Self.file))
        expect(ending.threadBegins(), equals: .write("\n", continuing: Self.file))
        expect(ending.attempted(.failed), equals: .rest)
        expect(ending.arrive(line("two")), equals: .write("\ntwo\n", continuing: Self.file))
        expect(ending.attempted(.wrote(5, Self.file)), equals: .rest)
    }

    @Test("another file gets the whole line of which the one before has the beginning, and no end for it")
    func anotherFile() {
        var buffer = LineBuffer()
        _ = buffer.arrive(line("first"))
        _ = buffer.attempted(.wrote(2, Self.file))
        expect(buffer.threadBegins(), equals: .write("rst\n", continuing: Self.file))
        expect(buffer.attempted(.isAnotherFile), equals: .write("first\n"))
        _ = buffer.attempted(.wrote(3, Self.file))
        expect(buffer.attempted(.failed), equals: .rest)
        expect(buffer.arrive(line("second")), equals: .write("\nsecond\n", continuing: Self.file))
        expect(buffer.attempted(.isAnotherFile), equals: .write("second\n"))
    }

    @Test("the end of the process writes where nobody does, waits where somebody does, and takes the rest at last")
    func leaving() {
        var buffer = LineBuffer(limit: 10)
        expect(buffer.leave(adding: []), equals: .rest)
        expect(buffer.leave(adding: line("more than ten")), equals: .write("more than ten\n"))
        expect(buffer.attempted(.wouldBlock), equals: .wait)
        expect(buffer.attempted(.needsThread), equals: .startThread)
        expectNil(buffer.leave(adding: line("counts")))
        _ = buffer.arrive(line("late"))
        _ = buffer.threadBegins()
        _ = buffer.attempted(.wrote(1, Self.file))
        let notice = "error-bus: standard error took no more, and 1 line was lost\n"
        expect(buffer.takeRest(), equals: Array("\n\(notice)counts\n".utf8))
        expect(buffer.takeRest(), equals: Array("\n".utf8))
    }

    private func line(_ text: String) -> [UInt8] { Array("\(text)\n".utf8) }
}

extension LineBuffer.Step {
    static func write(_ text: String, continuing target: LineBuffer.Target? = nil) -> Self {
        .write(Array(text.utf8)[...], continuing: target)
    }
}
