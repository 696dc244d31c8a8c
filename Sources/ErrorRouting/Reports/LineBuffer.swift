/// The lines that standard error has not taken yet, and whose turn it is to write: a plain value, which decides and
/// does nothing.
///
/// One at a time writes: a poster, the writer thread, or the end of the process. Whoever does is told its next step by
/// each answer; everybody else leaves a line here and goes on. So lines are in order although nothing is written under
/// a lock.
struct LineBuffer {
    /// A file, as far as it can be told from another.
    struct Target: Hashable {
        var device: UInt64
        var number: UInt64
    }

    /// What the one who asked does next.
    enum Step: Equatable {
        /// Nothing: all is written, or somebody else writes.
        case rest
        /// Writes these bytes, without waiting, and tells what became of them. If they go on with a line that another
        /// write began, they belong to the file which that line went to.
        case write(ArraySlice<UInt8>, continuing: Target?)
        /// Waits until standard error takes something; then asks ``again()``.
        case wait
        /// Wakes the writer thread, whose turn it is.
        case wakeThread
        /// Starts the writer thread, whose turn it is.
        case startThread
    }

    /// What became of a write.
    enum Outcome: Equatable {
        case wrote(Int, Target)
        case wouldBlock
        /// This file cannot be written without the danger of waiting, so only the thread may.
        case needsThread
        /// Standard error is no longer the file which the line was begun in.
        case isAnotherFile
        case failed
    }

    private enum Writer { case nobody, poster, thread, exit }

    /// A pipe takes this much in one piece or not at all, so that no other process's output falls in between.
    static let atomicSize = 4096
    /// How many batches of other threads' lines a poster writes after its own, before it leaves them to the thread.
    static let batchesOfOthers = 4

    /// How many bytes may wait, the ones being written included.
    private let limit: Int
    private var writer = Writer.nobody
    private var hasThread = false
    private var batches = 0

    /// What is being written: whole lines, or a single long one.
    private var front: [UInt8] = []
    private var written = 0
    /// How many lost lines `front` tells of, if it is the notice.
    private var told: Int64 = 0
    /// Whether `front` begins with an end for a line that could not be written to its own.
    private var endsCutLine = false
    /// The file that has the beginning of a line and not its end.
    private var cutIn: Target?

    /// The lines behind `front`, from `restStart` on.
    private var rest: [UInt8] = []
    private var restStart = 0
    /// The lines that did not fit or could not be written, and were not told of.
    private var lost: Int64 = 0

    init(limit: Int = 1 << 20) { self.limit = limit }

    /// How many bytes of lines wait.
    var pending: Int { front.count - unwritten + rest.count - restStart }

    /// A line, with its end, was written by somebody.
    ///
    /// One that is longer than the limit is taken where nothing else waits: there it may fit the file.
    mutating func arrive(_ line: [UInt8]) -> Step {
        if pending == 0 || pending + line.count <= limit { append(line) } else { lost += 1 }
        guard writer == .nobody else { return .rest }
        return begin(.poster)
    }

    /// What a write came to, said by whoever was told to write.
    mutating func attempted(_ outcome: Outcome) -> Step {
        assert(writer != .nobody, "somebody writes whose turn it is not")
        switch outcome {
        case .wrote(let count, let target):
            written += count
            if count > 0 { cutIn = front[written - 1] == .newline ? nil : target }
            if written == front.count { return next(telling: true) }
            return writer == .poster ? handOver() : current
        case .wouldBlock:
            return writer == .poster ? handOver() : .wait
        case .needsThread:
            return writer == .thread ? .wait : handOver()
        case .isAnotherFile:
            beginLineAnew()
            return current
        case .failed:
            loseFront()
            // The loss is not told yet: that would fail too.
            return next(telling: false)
        }
    }

    /// What to write after waiting.
    func again() -> Step { current }

    /// The thread was woken, or has started.
    mutating func threadBegins() -> Step {
        assert(writer == .thread, "the writer thread was woken, and it is not its turn")
        return current
    }

    /// There is no thread to be had; what is here stays until somebody else writes a line.
    mutating func threadDidNotStart() {
        hasThread = false
        writer = .nobody
    }

    /// The process ends: whoever ends it may write, if nobody else does; nil if somebody does.
    ///
    /// - Parameter lines: Lines for which the limit does not count.
    mutating func leave(adding lines: [UInt8]) -> Step? {
        append(lines)
        guard writer == .nobody else { return nil }
        return pending == 0 ? .rest : begin(.exit)
    }

    /// The process ends, and whoever writes does not come back in time: what that one has not begun to write.
    mutating func takeRest() -> [UInt8] {
        var bytes: [UInt8] = cutIn == nil ? [] : [.newline]
        if lost > 0 { bytes += notice }
        bytes += rest[restStart...]
        lost = 0
        rest = []
        restStart = 0
        return bytes
    }
}

extension LineBuffer {
    private var current: Step { .write(front[written...], continuing: cutIn) }

    /// Where in `front` what is to be written begins, without an end for somebody else's line.
    private var unwritten: Int { max(written, endsCutLine ? 1 : 0) }

    private var notice: [UInt8] {
        let lines = lost == 1 ? "1 line was" : "\(lost) lines were"
        return Array("error-bus: standard error took no more, and \(lines) lost\n".utf8)
    }

    private mutating func append(_ lines: [UInt8]) {
        // Without a copy where nothing waits.
        if pending == 0, writer == .nobody { putInFront(lines) } else { rest += lines }
    }

    private mutating func begin(_ writer: Writer) -> Step {
        self.writer = writer
        batches = 0
        return written < front.count ? current : next(telling: false)
    }

    private mutating func handOver() -> Step {
        writer = .thread
        defer { hasThread = true }
        return hasThread ? .wakeThread : .startThread
    }

    /// The step after `front` is done with.
    ///
    /// - Parameter telling: Whether the file took something, and so may be told what it did not take.
    private mutating func next(telling: Bool) -> Step {
        if telling, lost > 0 {
            putInFront(notice)
            told = lost
            lost = 0
        } else if restStart < rest.count {
            putInFront(takeBatch())
        } else {
            putInFront([])
            writer = .nobody
            return .rest
        }
        if writer == .poster {
            batches += 1
            if batches > Self.batchesOfOthers { return handOver() }
        }
        return current
    }

    private mutating func putInFront(_ lines: [UInt8]) {
        front = lines
        written = 0
        told = 0
        endsCutLine = cutIn != nil && !lines.isEmpty
        if endsCutLine { front.insert(.newline, at: 0) }
    }

    /// As many whole lines as a pipe takes in one piece, or a single longer one.
    private mutating func takeBatch() -> [UInt8] {
        let waiting = rest[restStart...]
        let last = waiting.prefix(Self.atomicSize).lastIndex(of: .newline) ?? waiting.firstIndex(of: .newline)
        let end = last.map { $0 + 1 } ?? rest.endIndex
        let batch = Array(rest[restStart..<end])
        restStart = end
        if restStart == rest.count {
            // What a storm has left is given back.
            rest.removeAll(keepingCapacity: rest.capacity <= 16 * Self.atomicSize)
            restStart = 0
        } else if restStart > rest.count / 2 {
            rest.removeFirst(restStart)
            restStart = 0
        }
        return batch
    }

    /// Counts the lines whose ends were not written.
    ///
    /// Where nothing but the end is lacking the line is there; it gets the end before whatever follows.
    private mutating func loseFront() {
        var rest = front[unwritten...]
        if written > 0, cutIn != nil, rest.first == .newline { rest.removeFirst() }
        if told == 0 { lost += Int64(rest.count { $0 == .newline }) } else if !rest.isEmpty { lost += told }
    }

    /// The file with the line's beginning is gone; this one gets the whole line.
    private mutating func beginLineAnew() {
        let line = front[..<written].lastIndex(of: .newline).map { $0 + 1 } ?? 0
        written = max(line, endsCutLine ? 1 : 0)
        cutIn = nil
    }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
}
