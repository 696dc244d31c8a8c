/// A gzip file's content, read in pieces: of any number of parts, one after the other.
@safe final class Inflater {
    /// The first bytes of such a file.
    static let mark: [UInt8] = [0x1F, 0x8B]

    private let source: ReplayInput
    private let isCancelled: () -> Bool
    private let zlib: ZLib
    /// At one place as long as it is used: the library compares it.
    private let stream: UnsafeMutablePointer<ZLib.Stream>
    private let compressed: UnsafeMutableBufferPointer<UInt8>
    /// Whether one part has ended, and no other has begun.
    private var isBetweenParts = false
    private var hasSourceEnded = false
    /// How many bytes of the file are read.
    private(set) var taken: Int

    /// - Parameters:
    ///   - first: The bytes that are read already, which begin with the mark.
    ///   - source: Where the others are.
    ///   - isCancelled: Whether to end.
    init(
        _ first: [UInt8], of source: ReplayInput, unless isCancelled: @escaping () -> Bool
    ) throws(Replay.UnreadableInput) {
        guard let zlib = ZLib.system else {
            throw Replay.UnreadableInput(
                path: source.path, reason: "it is compressed, and there is no zlib here: pipe it through zcat")
        }
        self.source = source
        self.isCancelled = isCancelled
        self.zlib = zlib
        taken = first.count
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: ZLib.Stream())
        unsafe compressed = .allocate(capacity: max(first.count, 64 << 10))
        _ = unsafe compressed.initialize(from: first)
        unsafe stream.pointee.input = compressed.baseAddress
        unsafe stream.pointee.inputCount = UInt32(first.count)
        guard unsafe zlib.begin(stream) else { throw broken("zlib is of another kind than is known here") }
    }

    deinit {
        _ = unsafe zlib.end(stream)
        unsafe stream.deallocate()
        unsafe compressed.deallocate()
    }

    /// Reads up to as many bytes as there is room for.
    ///
    /// - Returns: The number of bytes; 0 at the end, nil if it was cancelled.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Replay.UnreadableInput) -> Int? {
        unsafe stream.pointee.output = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.outputCount = UInt32(buffer.count)
        while true {
            if unsafe stream.pointee.inputCount == 0, !hasSourceEnded {
                guard try refill() else { return nil }
            }
            if isBetweenParts, try !beginPart() {
                if hasSourceEnded { return 0 }
                continue
            }
            let code = unsafe zlib.inflate(stream, 0)
            isBetweenParts = code == ZLib.Code.endOfStream
            // What comes before a fault is read first; the next call fails again.
            let count = buffer.count - Int(unsafe stream.pointee.outputCount)
            if count > 0 { return count }
            guard isBetweenParts || code == ZLib.Code.ok || code == ZLib.Code.noProgress else {
                throw broken("what is compressed in it is broken")
            }
            if hasSourceEnded, !isBetweenParts, unsafe stream.pointee.inputCount == 0 {
                throw broken("it ends in the middle of what is compressed")
            }
        }
    }

    /// - Returns: False if it was cancelled.
    private func refill() throws(Replay.UnreadableInput) -> Bool {
        guard let count = try unsafe source.read(into: UnsafeMutableRawBufferPointer(compressed), unless: isCancelled)
        else { return false }
        taken += count
        hasSourceEnded = count == 0
        unsafe stream.pointee.input = compressed.baseAddress
        unsafe stream.pointee.inputCount = UInt32(count)
        return true
    }

    /// Passes over the zeros with which a tape's last block is filled, and begins the next part.
    ///
    /// - Returns: Whether there is one in what is read.
    private func beginPart() throws(Replay.UnreadableInput) -> Bool {
        while unsafe stream.pointee.inputCount > 0, let next = unsafe stream.pointee.input {
            if unsafe next.pointee == Self.mark[0] {
                isBetweenParts = false
                return unsafe zlib.reset(stream) == ZLib.Code.ok
            }
            guard unsafe next.pointee == 0 else { throw broken("what follows the compressed part is not compressed") }
            unsafe stream.pointee.input = next + 1
            unsafe stream.pointee.inputCount -= 1
        }
        return false
    }

    private func broken(_ reason: String) -> Replay.UnreadableInput {
        Replay.UnreadableInput(path: source.path, reason: reason)
    }
}
