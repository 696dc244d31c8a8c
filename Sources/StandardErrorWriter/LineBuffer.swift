import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// The lines that standard error has not accepted yet, and whose turn it is to write: a plain value that decides, and
/// performs no input or output.
///
/// There is one writer at a time: a poster, the writer thread, or the exit handler. Each call tells the writer its next
/// step; other threads only add their lines. So lines are in order although nothing is written under a lock.
struct LineBuffer {
    /// The identity of a file.
    struct Target: Hashable {
        var device: UInt64
        var number: UInt64
    }

    /// What the caller does next.
    enum Step: Equatable {
        /// Do nothing: all is written, or another writer has its turn.
        case rest
        /// Write these bytes without waiting, then call ``attempted(_:)``. If they continue a line that an earlier
        /// write began, they may be written only to the file with the beginning of that line.
        case write(ArraySlice<UInt8>, continuing: Target?)
        /// Wait until standard error accepts bytes, then call ``again()``.
        case wait
        /// Wake the writer thread, whose turn it is.
        case wakeThread
        /// Start the writer thread, whose turn it is.
        case startThread
    }

    /// The result of a write.
    enum Outcome: Equatable {
        case wrote(Int, Target)
        case wouldBlock
        /// A write to this file might wait, so only the thread may do it.
        case needsThread
        /// Standard error is another file than the one with the beginning of the line.
        case isAnotherFile
        case failed
    }

    private enum Writer { case nobody, poster, thread, exit }

    /// The size up to which a write to a pipe is atomic, so that no other process's output falls in between.
    static let atomicSize = Int(PIPE_BUF)
    /// The number of batches of other threads' lines that a poster writes after its own, before the thread continues.
    static let batchesOfOthers = 4

    /// The maximum number of waiting bytes, those being written included.
    private let limit: Int
    private var writer = Writer.nobody
    private var hasThread = false
    private var batches = 0

    /// The bytes being written: whole lines, or a single long one.
    private var front: [UInt8] = []
    private var written = 0
    /// The number of lost lines in the notice, if `front` is the notice.
    private var told: Int64 = 0
    /// Whether `front` begins with a newline that ends an earlier, incomplete line.
    private var endsCutLine = false
    /// The file with the beginning, but not the end, of a line.
    private var cutIn: Target?

    /// The lines after `front`, from `restStart` on.
    private var rest: [UInt8] = []
    private var restStart = 0
    /// The number of lines that did not fit or could not be written, and that no notice has told of.
    private var lost: Int64 = 0

    init(limit: Int = 1 << 20) { self.limit = limit }

    /// The number of waiting bytes.
    var pending: Int { front.count - unwritten + rest.count - restStart }

    /// Adds a poster's line, with its end.
    ///
    /// A line longer than the limit is accepted if nothing else waits, since standard error may accept it at once.
    mutating func arrive(_ line: [UInt8]) -> Step {
        if pending == 0 || pending + line.count <= limit { append(line) } else { lost += 1 }
        guard writer == .nobody else { return .rest }
        return begin(.poster)
    }

    /// Records the result of a write by the current writer.
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
            // No notice of the loss yet, since writing it would fail too.
            return next(telling: false)
        }
    }

    /// Returns what to write after waiting.
    func again() -> Step { current }

    /// Returns the first step of the thread after it was woken or started.
    mutating func threadBegins() -> Step {
        assert(writer == .thread, "the writer thread was woken, and it is not its turn")
        return current
    }

    /// Records that the thread could not be started; the lines wait until a poster adds another one.
    mutating func threadDidNotStart() {
        hasThread = false
        writer = .nobody
    }

    /// Adds lines at the end of the process, and lets the exit handler write.
    ///
    /// - Parameter lines: The lines, to which the limit does not apply.
    /// - Returns: The exit handler's first step; nil if there is another writer.
    mutating func leave(adding lines: [UInt8]) -> Step? {
        append(lines)
        guard writer == .nobody else { return nil }
        return pending == 0 ? .rest : begin(.exit)
    }

    /// Removes and returns the bytes that the current writer has not begun to write.
    ///
    /// For the end of the process, if that writer does not finish in time.
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

    /// The position in `front` of the first byte to write, without the newline for an earlier, incomplete line.
    private var unwritten: Int { max(written, endsCutLine ? 1 : 0) }

    private var notice: [UInt8] {
        let lines = lost == 1 ? "1 line was" : "\(lost) lines were"
        return Array("error-bus: standard error took no more, and \(lines) lost\n".utf8)
    }

    private mutating func append(_ lines: [UInt8]) {
        // Avoids a copy if nothing waits.
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

    /// Returns what the writer does next, now that `front` is written or given up.
    ///
    /// - Parameter telling: Whether a notice of lost lines may be written, since the file accepts bytes.
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

    /// Removes and returns as many whole lines as a pipe accepts atomically, or a single longer line.
    private mutating func takeBatch() -> [UInt8] {
        let waiting = rest[restStart...]
        let last = waiting.prefix(Self.atomicSize).lastIndex(of: .newline) ?? waiting.firstIndex(of: .newline)
        let end = last.map { $0 + 1 } ?? rest.endIndex
        let batch = Array(rest[restStart..<end])
        restStart = end
        if restStart == rest.count {
            // Frees the memory that a storm of lines needed.
            rest.removeAll(keepingCapacity: rest.capacity <= 16 * Self.atomicSize)
            restStart = 0
        } else if restStart > rest.count / 2 {
            rest.removeFirst(restStart)
            restStart = 0
        }
        return batch
    }

    /// Counts the lines whose ends were not written as lost.
    ///
    /// A line that lacks only its newline is not lost; the newline is written before the next line.
    private mutating func loseFront() {
        var rest = front[unwritten...]
        if written > 0, cutIn != nil, rest.first == .newline { rest.removeFirst() }
        if told == 0 { lost += Int64(rest.count { $0 == .newline }) } else if !rest.isEmpty { lost += told }
    }

    /// Goes back to the beginning of a line, since another file has replaced the one with that beginning.
    private mutating func beginLineAnew() {
        let line = front[..<written].lastIndex(of: .newline).map { $0 + 1 } ?? 0
        written = max(line, endsCutLine ? 1 : 0)
        cutIn = nil
    }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
}
