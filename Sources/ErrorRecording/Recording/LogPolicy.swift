/// What is done with the file before and between lines: a plain value that decides, and acts on nothing.
struct LogPolicy {
    /// What the system says of the file, while no other recorder writes to it.
    struct Facts {
        /// Its size in bytes.
        var size = 0
        /// Whether its last line has its end; true of an empty file.
        var endsWhole = true
        /// Whether the path still leads to the file that is open.
        var isNamed = true
        /// Whether it can be renamed and cut: a regular file, under its own name.
        var isRegular = true
    }

    /// What comes next.
    enum Step: Equatable {
        /// Open what the path leads to now.
        case reopen
        /// End the last line, whose writer did not.
        case endLine
        /// Put the file aside, and begin another one.
        case rotate
        /// Write this many of the lines.
        case write(Int)
    }

    /// The size in bytes that a file does not exceed, unless by a single line.
    let fileSize: Int
    /// The number of files, the current one included.
    let fileCount: Int

    /// - Parameters:
    ///   - fileSize: The size of a file; at least 1.
    ///   - fileCount: The number of files; at least 1.
    init(fileSize: Int, fileCount: Int) {
        self.fileSize = max(fileSize, 1)
        self.fileCount = max(fileCount, 1)
    }

    /// Returns what comes next.
    ///
    /// - Parameters:
    ///   - facts: What the system says of the file.
    ///   - lengths: The lengths of the lines to write.
    ///   - mayRotate: False if putting the file aside has just failed: then it grows.
    func step(_ facts: Facts, for lengths: some Collection<Int>, mayRotate: Bool = true) -> Step {
        if !facts.isNamed { return .reopen }
        if !facts.endsWhole { return .endLine }
        // One line at a time: a pipe takes up to `PIPE_BUF` bytes of one call as a whole, and another writer's output
        // does not come between them.
        if !facts.isRegular { return .write(min(lengths.count, 1)) }
        guard mayRotate else { return .write(lengths.count) }
        var (size, count) = (facts.size, 0)
        for length in lengths {
            // A line that is longer than a file has a file of its own.
            if size > 0, length > fileSize - min(size, fileSize) { break }
            (size, count) = (size + length, count + 1)
        }
        return count == 0 && !lengths.isEmpty ? .rotate : .write(count)
    }

    /// The numbers of files that a recorder with a larger number of files may have left.
    ///
    /// At most three digits: a longer number may be a date that somebody else has appended.
    var surplus: ClosedRange<Int> { fileCount...max(fileCount, 999) }

    /// Returns the renamings that put a file aside, in their order, as pairs of numbers; 0 is the current file.
    ///
    /// Files are moved only up to the first number that is free, so that attempts which fail half-way never delete one.
    ///
    /// - Parameter exists: Whether there is a file with a number.
    func renamings(_ exists: (Int) -> Bool) -> [(from: Int, to: Int)] {
        let last = fileCount - 1
        guard last > 0 else { return [] }
        let free = (1...last).first { !exists($0) } ?? last
        return (0..<free).reversed().map { ($0, $0 + 1) }
    }
}
