/// Decides what happens to the file before and between lines.
///
/// It is a plain value without side effects.
struct LogPolicy {
    /// What the system reports about the file, while no other recorder writes to it.
    struct Facts {
        /// Its size in bytes.
        var size = 0
        /// Whether its last line ends with a newline; true for an empty file.
        var endsWhole = true
        /// Whether the path still leads to the open file.
        var isNamed = true
        /// Whether no path leads to the open file any more, so that a reader would never find its lines.
        var isDeleted = false
        /// Whether it can be renamed and truncated: a regular file of this process.
        var isRegular = true
    }

    /// The next step.
    enum Step: Equatable {
        /// Open the file that the path leads to now.
        case reopen
        /// Fail the lines, because the file is deleted.
        case fail
        /// End the last line, which its writer left without a newline.
        case endLine
        /// Rotate the file, and start another one.
        case rotate
        /// Write this many lines.
        case write(Int)
    }

    /// The maximum size in bytes of a file with more than one line.
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

    /// Returns the next step.
    ///
    /// - Parameters:
    ///   - facts: What the system reports about the file.
    ///   - lengths: The lengths of the lines to write.
    ///   - mayReopen: False if opening the file at the path has just failed; then the open file is used, unless it is
    ///     deleted.
    ///   - mayRotate: False if rotating the file has just failed; then the file grows.
    func step(
        _ facts: Facts, for lengths: some Collection<Int>, mayReopen: Bool = true, mayRotate: Bool = true
    ) -> Step {
        if !facts.isNamed {
            if mayReopen { return .reopen }
            if facts.isDeleted { return .fail }
        }
        if !facts.endsWhole { return .endLine }
        // Write one line at a time: a pipe takes up to `PIPE_BUF` bytes of one call in one piece, so no other writer's
        // output comes between them.
        if !facts.isRegular { return .write(min(lengths.count, 1)) }
        guard mayRotate, facts.isNamed else { return .write(lengths.count) }
        var (size, count) = (facts.size, 0)
        for length in lengths {
            // A line that exceeds the size has its own file.
            if size > 0, length > fileSize - min(size, fileSize) { break }
            (size, count) = (size + length, count + 1)
        }
        return count == 0 && !lengths.isEmpty ? .rotate : .write(count)
    }

    /// The numbers of files that a recorder with a larger number of files might have left.
    ///
    /// The numbers have at most three digits, because a longer number might be a date that someone else appended.
    var surplus: ClosedRange<Int> { fileCount...max(fileCount, 999) }

    /// Returns the renamings that rotate a file, in order, as pairs of numbers; 0 is the current file.
    ///
    /// Files move only up to the first free number, so an attempt that fails halfway never deletes a file.
    ///
    /// - Parameter exists: Returns whether there is a file with a number.
    func renamings(_ exists: (Int) -> Bool) -> [(from: Int, to: Int)] {
        let last = fileCount - 1
        guard last > 0 else { return [] }
        let free = (1...last).first { !exists($0) } ?? last
        return (0..<free).reversed().map { ($0, $0 + 1) }
    }
}
