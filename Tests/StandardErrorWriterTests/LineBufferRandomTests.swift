import TestSupport
import Testing

@testable import StandardErrorWriter

/// Lines, writes and failures come in random order.
@Suite("Behaviour 25: a line buffer does what a naive list of lines does", .tags(.behaviour25))
struct LineBufferRandomTests {}

extension LineBufferRandomTests {
    @Test(
        "each write offers what the naive list has first, and each file gets whole lines",
        arguments: 0..<(isLong ? 100 : 40))
    func walk(seed: Int) {
        var walk = LineWalk(seed: UInt64(seed))
        for _ in 0..<400 { walk.go() }
        walk.end()
    }
}

private struct LineWalk {
    private var random: SplitMix64
    private var buffer: LineBuffer
    private var naive: NaiveLines
    private var step = LineBuffer.Step.rest
    private var sent = 0
    private var isThread = false

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        let limit = [100, 1_000, 20_000][Int(seed % 3)]
        buffer = LineBuffer(limit: limit)
        naive = NaiveLines(limit: limit)
    }

    private var file: LineBuffer.Target { LineBuffer.Target(device: 1, number: UInt64(naive.files.count)) }

    mutating func go() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: send()
        default: act(Int.random(in: 0..<100, using: &random))
        }
        // A poster's own line may be longer than the limit, and the line with the count of losses is beyond it.
        #expect(buffer.pending <= max(naive.limit, 6_000) + 100)
    }

    private mutating func send() {
        sent += 1
        let isLong = Int.random(in: 0..<30, using: &random) == 0
        let padding = String(repeating: "x", count: .random(in: 0..<(isLong ? 6_000 : 60), using: &random))
        let line = Array("\(sent) \(padding).\n".utf8)
        naive.arrive(line)
        let answer = buffer.arrive(line)
        // A poster that comes while somebody writes has nothing to do.
        if step != .rest { expect(answer, equals: .rest) } else { begin(answer) }
    }

    private mutating func begin(_ step: LineBuffer.Step) {
        self.step = step
        guard case .write(let bytes, let target) = step else { return }
        #expect(naive.waiting.starts(with: bytes))
        expect(bytes.last, equals: UInt8(ascii: "\n"))
        // Only what goes on with a line, or ends it, belongs to a file; that may be another one by now.
        expect((target != nil), equals: (naive.begun > 0 || naive.isCut))
        let lines = bytes.count { $0 == UInt8(ascii: "\n") } - (naive.isCut ? 1 : 0)
        #expect(lines == 1 || bytes.count <= LineBuffer.atomicSize + 1)
        naive.offered(bytes.count)
    }

    private mutating func act(_ chance: Int) {
        switch step {
        case .rest:
            break
        case .wakeThread, .startThread:
            if step == .startThread, chance < 20 {
                buffer.threadDidNotStart()
                step = .rest
            } else {
                isThread = true
                begin(buffer.threadBegins())
            }
        case .wait:
            begin(buffer.again())
        case .write(let bytes, _):
            write(bytes, chance)
        }
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, _ chance: Int) {
        switch chance {
        case 0..<40: wrote(bytes.count)
        case 40..<60: wrote(.random(in: 1...bytes.count, using: &random))
        case 60..<75: answered(buffer.attempted(.wouldBlock))
        case 75..<85 where !isThread: answered(buffer.attempted(.needsThread))
        case 85..<93:
            naive.failed()
            answered(buffer.attempted(.failed))
        case 93..<97:
            let wasBegun = naive.begun > 0 || naive.isCut
            naive.replaced()
            if wasBegun { answered(buffer.attempted(.isAnotherFile)) }
        default: break
        }
    }

    private mutating func wrote(_ count: Int) {
        let target = file
        naive.wrote(count)
        answered(buffer.attempted(.wrote(count, target)))
    }

    private mutating func answered(_ answer: LineBuffer.Step) {
        if answer == .rest { isThread = false }
        begin(answer)
    }

    /// Writes whatever is left, and looks at the files.
    mutating func end() {
        while step != .rest { act(30) }
        // Sends one more line, so that the last losses are announced, and what no thread was started for is written.
        repeat {
            send()
            while step != .rest { act(30) }
        } while buffer.pending > 0
        #expect(naive.isEmpty)
        expect(naive.lost, equals: 0)
        let files = naive.files.map { file in
            file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        let whole = files.flatMap { $0.dropLast() }
        let told = whole.filter { $0.hasSuffix("lost") }.countOfLost
        let received = numbers(whole)
        expect(received, equals: received.sorted())
        expect(Set(received).count, equals: received.count)
        #expect(told <= naive.toldInAll)
        #expect(received.count + told <= sent)
        // A line that lacks only its end when another file takes the place counts too, and may be in that file once
        // more.
        #expect(Set(numbers(files.flatMap(\.self))).count + naive.toldInAll >= sent)
    }

    private func numbers(_ lines: [String]) -> [Int] {
        lines.filter { $0.hasSuffix(".") }.compactMap { Int($0.split(separator: " ")[0]) }
    }
}
