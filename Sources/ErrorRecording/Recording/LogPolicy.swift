/// Decides what to do with the file before and between lines.
///
/// It is a plain value without side effects.
struct LogPolicy {
    /// The state of the file as the system reports it, while no other recorder is writing to it.
    struct Facts {
        /// The size of the file in bytes.
        var size = 0
        /// Whether the last line ends with a newline; true for an empty file.
        var endsWhole = true
        /// Whether the path still refers to the open file.
        var isNamed = true
        /// Whether the file is no longer reachable by any path, so that a reader would never find its lines.
        var isDeleted = false
        /// Whether the file can be renamed and truncated: a regular file at a path that the recorder can resolve.
        var isRegular = true
    }

    /// The next step for the file.
    enum Step: Equatable {
        /// Open the file that the path now refers to.
        case reopen
        /// Fail the lines, because the file is deleted.
        case fail
        /// Terminate the last line, which its writer left without a newline.
        case endLine
        /// Rotate the file, and start another file.
        case rotate
        /// Write this many lines.
        case write(Int)
    }

    /// The maximum size in bytes of a file with more than one line.
    let fileSize: Int
    /// The number of files, including the current file.
    let fileCount: Int

    /// Creates a policy; numbers less than 1 count as 1.
    init(fileSize: Int, fileCount: Int) {
        self.fileSize = max(fileSize, 1)
        self.fileCount = max(fileCount, 1)
    }

    /// Returns the next step for lines with the given lengths.
    ///
    /// `mayReopen` is false if opening the file at the path has just failed; the open file is then used, unless it is
    /// deleted. `mayRotate` is false if rotating the file has just failed; the file then grows.
    func step(
        _ facts: Facts, for lengths: some Collection<Int>, mayReopen: Bool = true, mayRotate: Bool = true
    ) -> Step {
        if !facts.isNamed {
            if mayReopen { return .reopen }
            if facts.isDeleted { return .fail }
        }
        if !facts.endsWhole { return .endLine }
        // Write one line at a time: a pipe accepts up to `PIPE_BUF` bytes of one call in one piece, so that other
        // writers' output isn't interleaved with the line.
        if !facts.isRegular { return .write(min(lengths.count, 1)) }
        guard mayRotate, facts.isNamed else { return .write(lengths.count) }
        var (size, count) = (facts.size, 0)
        for length in lengths {
            // Write a line that exceeds the size to its own file.
            if size > 0, length > fileSize - min(size, fileSize) { break }
            (size, count) = (size + length, count + 1)
        }
        return count == 0 && !lengths.isEmpty ? .rotate : .write(count)
    }

    /// The numbers of files that might remain from a recorder with a larger number of files.
    ///
    /// The numbers have at most three digits, because a longer number might be a date that a user appended.
    var surplus: ClosedRange<Int> { fileCount...max(fileCount, 999) }

    /// Returns the renamings that rotate a file, in order, as pairs of numbers; 0 is the current file.
    ///
    /// Files are moved only up to the first number for which `exists` returns false. So an attempt that fails halfway
    /// never deletes a file.
    func renamings(_ exists: (Int) -> Bool) -> [(from: Int, to: Int)] {
        let last = fileCount - 1
        guard last > 0 else { return [] }
        let free = (1...last).first { !exists($0) } ?? last
        return (0..<free).reversed().map { ($0, $0 + 1) }
    }
}
