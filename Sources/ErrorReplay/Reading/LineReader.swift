import ErrorRecording
import Foundation

/// Reads the lines of a file in pieces.
///
/// It stores one piece and one line. A line that is longer than any record is skipped and never stored.
struct LineReader {
    /// A line, which is valid until the next line is read.
    struct Line {
        /// The line's range in the buffer, without its line feed.
        let range: Range<Int>
        /// Whether the line is longer than any record and must be skipped.
        let isTooLong: Bool
        /// Whether the line ends with a line feed; it doesn't if the process was killed while it wrote the line.
        let hasEnd: Bool
    }

    private static let pieceSize = 128 << 10

    private let input: ReplayInput
    private let isCancelled: () -> Bool
    /// The unread bytes of the buffer are `begin..<end`; the bytes before `searched` don't contain a line feed.
    private(set) var buffer = [UInt8](repeating: 0, count: RecordLine.limit + pieceSize)
    private var (begin, searched, end) = (0, 0, 0)
    /// Whether the next bytes belong to a line that is too long.
    private var isSkipping = false
    private var hasEnded = false
    /// The number of bytes read from the file.
    private(set) var taken = 0
    /// Whether reading was cancelled before the end of the file.
    private(set) var wasCancelled = false

    /// Reading ends when `isCancelled`, which is called before each line, returns true.
    init(_ input: ReplayInput, unless isCancelled: @escaping () -> Bool) {
        self.input = input
        self.isCancelled = isCancelled
    }

    /// Returns the next line; nil at the end of the file.
    mutating func next() throws(Replay.UnreadableInput) -> Line? {
        wasCancelled = wasCancelled || isCancelled()
        while !wasCancelled {
            if let newline = newline() {
                let line = line(upTo: newline, hasEnd: true)
                (begin, searched) = (newline + 1, newline + 1)
                // Stop here: the file has grown since the start, so only the line that was incomplete at that time is
                // read to its end.
                if isBeyondFirstSize { (begin, searched, end, hasEnded) = (0, 0, 0, true) }
                return line
            }
            searched = end
            if end - begin >= RecordLine.limit {
                isSkipping = true
                begin = end
            }
            if hasEnded || isAtFirstSize && begin == end && !isSkipping {
                guard begin < end || isSkipping else { return nil }
                let line = line(upTo: end, hasEnd: false)
                begin = end
                return line
            }
            if isCancelled() { wasCancelled = true } else { try readPiece() }
        }
        return nil
    }

    private mutating func line(upTo end: Int, hasEnd: Bool) -> Line {
        defer { isSkipping = false }
        let isTooLong = isSkipping || end - begin >= RecordLine.limit
        return Line(range: begin..<end, isTooLong: isTooLong, hasEnd: hasEnd)
    }

    private func newline() -> Int? {
        let (searched, count) = (searched, end - searched)
        return unsafe buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let newline = unsafe memchr(base + searched, Int32(UInt8(ascii: "\n")), count)
            else { return nil }
            return unsafe UnsafeRawPointer(newline) - base
        }
    }

    // MARK: Pieces

    /// Whether all bytes that the file contained at the start have been read.
    private var isAtFirstSize: Bool { input.size.map { taken >= $0 } ?? false }

    private var isBeyondFirstSize: Bool { input.size.map { taken > $0 } ?? false }

    private mutating func readPiece() throws(Replay.UnreadableInput) {
        if end + Self.pieceSize > buffer.count {
            let (begin, end) = (begin, end)
            unsafe buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                unsafe base.copyMemory(from: base + begin, byteCount: end - begin)
            }
            (self.begin, searched, self.end) = (0, searched - begin, end - begin)
        }
        // Read up to the file's size at the start, and then until the line is complete.
        let left = input.size.map { $0 - taken } ?? 0
        let wanted = min(left > 0 ? left : Self.pieceSize, Self.pieceSize)
        let (input, isCancelled, start) = (input, isCancelled, end)
        var span = buffer.mutableSpan
        let count = try unsafe span.withUnsafeMutableBytes { bytes throws(Replay.UnreadableInput) in
            try unsafe input.read(
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + wanted]), unless: isCancelled)
        }
        guard let count else { return wasCancelled = true }
        if count == 0 { hasEnded = true }
        end += count
        taken += count
    }
}

extension Span<UInt8> {
    /// Whether all bytes are whitespace.
    var isBlank: Bool {
        let blanks: [UInt8] = [0x20, 0x09, 0x0B, 0x0C, 0x0D]
        for index in indices where !blanks.contains(self[index]) { return false }
        return true
    }
}
