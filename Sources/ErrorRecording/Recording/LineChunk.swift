/// A sequence of whole lines, to be written with as few calls as possible.
struct LineChunk {
    /// The approximate maximum number of lines and bytes to write in one call.
    private static let limits = (lines: 64, bytes: 64 << 10)

    private(set) var bytes: [UInt8] = []
    /// The position after each line in `bytes`.
    private var ends: [Int] = []

    /// The number of lines.
    var count: Int { ends.count }

    var isFull: Bool { count >= Self.limits.lines || bytes.count >= Self.limits.bytes }

    mutating func append(_ line: RecordLine) {
        bytes += line.bytes
        ends.append(bytes.count)
    }

    mutating func removeAll() {
        // Don't keep the buffer of an unusually long line.
        bytes.removeAll(keepingCapacity: bytes.count <= 2 * Self.limits.bytes)
        ends.removeAll(keepingCapacity: true)
    }

    /// Returns the lengths of the lines, starting with a given line.
    func lengths(from first: Int) -> some Collection<Int> { (first..<count).lazy.map { range($0..<$0 + 1).count } }

    /// Returns the range of the given lines in ``bytes``.
    func range(_ lines: Range<Int>) -> Range<Int> { start(lines.lowerBound)..<start(lines.upperBound) }

    /// Returns how many whole lines, starting with a given line, fit into a number of bytes.
    func wholeLines(from first: Int, in size: Int) -> Int {
        ends[first...].prefix { $0 - start(first) <= size }.count
    }

    private func start(_ line: Int) -> Int { line == 0 ? 0 : ends[line - 1] }
}
