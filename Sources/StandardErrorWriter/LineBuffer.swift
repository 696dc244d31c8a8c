import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// The lines that standard error hasn't accepted yet: a plain value that performs no input or output.
struct LineBuffer {
    /// The state of the writer thread.
    ///
    /// While the thread is writing, other threads only add lines, so the lines stay in order.
    enum Thread { case absent, resting, writing }

    /// The size up to which a write to a pipe is atomic, so that no other process's output can split it.
    static let atomicSize = Int(PIPE_BUF)

    var thread = Thread.absent

    /// The bytes being written: whole lines, or a single long line.
    private var front: ArraySlice<UInt8> = []
    /// The lines after `front`.
    private var rest: ArraySlice<UInt8> = []

    /// The number of lines that didn't fit or couldn't be written, not counting lines that a written notice includes.
    private var lost = 0
    /// If `front` is a notice, the number of lost lines that it announces.
    private var announced = 0
    /// Whether the last write succeeded, so that standard error would accept a notice too.
    private var isAccepting = false
    /// Whether the output so far stops in the middle of a line.
    private var endsWithinLine = false

    /// The number of pending bytes.
    var pending: Int { front.count + rest.count }

    /// Adds lines with their newlines; if they don't fit, counts one lost line.
    ///
    /// A line longer than the limit is accepted if no other bytes are pending.
    mutating func add(_ lines: [UInt8], limit: Int = 1 << 20) {
        if pending == 0 || pending + lines.count <= limit { rest += lines } else { lost += 1 }
    }

    /// Returns the bytes to write next; an empty slice if every byte is written.
    mutating func next() -> ArraySlice<UInt8> {
        guard front.isEmpty else { return front }
        if isAccepting, lost > 0 {
            let lines = lost == 1 ? "1 line was" : "\(lost) lines were"
            front = ArraySlice("error-bus: standard error took no more, and \(lines) lost\n".utf8)
            announced = lost
        } else {
            front = takeBatch()
        }
        if endsWithinLine, !front.isEmpty { front = [.newline] + front }
        return front
    }

    /// Records how many of the bytes from ``next()`` were written; a negative number if the write failed.
    mutating func wrote(_ count: Int) {
        isAccepting = count >= 0
        if count > 0 {
            endsWithinLine = front[front.startIndex + count - 1] != .newline
            front = front.dropFirst(count)
            if front.isEmpty { lost -= announced }
        } else if count < 0 {
            // Don't count a line that lacks only its newline as lost: the newline is written before the next line.
            if announced == 0 { lost += front.count { $0 == .newline } - (front.first == .newline ? 1 : 0) }
            // Subtract a notice's lines if only its newline is left: the notice's text was written.
            if front.count == 1 { lost -= announced }
            front = []
        }
        if front.isEmpty { announced = 0 }
    }

    /// Removes and returns the lines that the thread hasn't begun to write.
    mutating func takeRest() -> LineBuffer {
        var taken = self
        if thread == .writing { (taken.front, taken.lost, taken.announced) = ([], lost - announced, 0) }
        // Keep the announced lines as lost: they are subtracted when the notice in `front` is written.
        (rest, lost) = ([], announced)
        return taken
    }

    /// Removes and returns as many whole lines as a pipe accepts atomically, or a single longer line.
    private mutating func takeBatch() -> ArraySlice<UInt8> {
        let last = rest.prefix(Self.atomicSize).lastIndex(of: .newline) ?? rest.firstIndex(of: .newline)
        // Copy the batch: if it shared the memory of the rest, adding a line would copy the rest.
        let batch = Array(rest[..<(last.map { $0 + 1 } ?? rest.endIndex)])
        rest = rest.dropFirst(batch.count)
        // Free the memory that a flood of lines needed.
        if rest.isEmpty { rest = [] }
        return batch[...]
    }
}

/// A line buffer behind a lock.
///
/// The lock is an `NSLock` because the thread sanitizer can't see the ordering of a `Mutex`. `Locked`, in another
/// module, makes a mutex's ordering visible with an atomic. `Locked` is faster, but this buffer doesn't need the speed.
///
/// `@unchecked` because the compiler can't verify that `buffer` is accessed only under the lock.
final class LockedLineBuffer: @unchecked Sendable {
    private let lock = NSLock()
    private var buffer = LineBuffer()

    /// Calls a closure with the buffer while holding the lock.
    func withLock<Result>(_ body: (inout LineBuffer) -> Result) -> Result { lock.withLock { body(&buffer) } }

    /// Calls a closure like ``withLock(_:)``, or returns nil if a thread, possibly the calling thread, holds the lock.
    func withLockIfAvailable<Result>(_ body: (inout LineBuffer) -> Result) -> Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return body(&buffer)
    }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
}
