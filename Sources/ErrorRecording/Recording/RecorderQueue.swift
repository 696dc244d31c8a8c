/// What a recorder has been given and has not written yet, with its counts: a plain value that decides, and acts on
/// nothing.
///
/// The writer alone takes elements, and says afterwards what became of them. Until then they count as pending, and take
/// room.
struct RecorderQueue<Element> {
    /// An element with its number among all that were recorded.
    struct Entry {
        let number: Int
        let element: Element
    }

    /// What the writer does next.
    enum Step {
        /// Write what was handed out, and call ``finished(written:failed:)`` for each of it.
        case write
        /// Sleep until somebody is told to wake the writer.
        case sleep
        /// End: the queue is closed, and empty for ever.
        case end
    }

    /// The number of elements that may be pending.
    let capacity: Int
    private(set) var statistics = ErrorRecorder.Statistics()
    private(set) var isClosed = false
    private(set) var hasEnded = false
    private var waiting: [Entry] = []
    /// How many the writer has taken and not finished.
    private var taken = 0
    private var isWriterAsleep = false

    /// - Parameter capacity: The number of elements that may be pending; at least 1.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// Adds an element, or drops it if the queue is full or closed.
    ///
    /// - Returns: Whether to wake the writer.
    mutating func record(_ element: Element) -> Bool {
        statistics.recorded += 1
        guard !isClosed, statistics.pending < capacity else {
            statistics.dropped += 1
            return false
        }
        statistics.pending += 1
        waiting.append(Entry(number: statistics.recorded, element: element))
        return takeSleep()
    }

    /// Accepts nothing more from now on.
    ///
    /// - Returns: Whether to wake the writer.
    mutating func close() -> Bool {
        isClosed = true
        return takeSleep()
    }

    /// Returns what the writer does next; called when it has finished all that it has taken.
    ///
    /// - Parameter batch: Empty; gets all that waits. The writer's alone, so that it can release what is written.
    mutating func next(_ batch: inout [Entry]) -> Step {
        assert(batch.isEmpty, "what was handed out before is not written")
        assert(taken == 0, "the writer takes more before it has finished what it took")
        assert(!isWriterAsleep, "the writer was not woken")
        if !waiting.isEmpty {
            taken = waiting.count
            swap(&batch, &waiting)
            return .write
        }
        hasEnded = isClosed
        isWriterAsleep = !isClosed
        return isClosed ? .end : .sleep
    }

    /// Counts elements that the writer has finished.
    mutating func finished(written: Int, failed: Int) {
        assert(written >= 0 && failed >= 0 && written + failed <= taken, "more is finished than was taken")
        taken -= written + failed
        statistics.pending -= written + failed
        statistics.written += written
        statistics.failed += failed
        assert(statistics.isBalanced, "\(statistics)")
    }

    private mutating func takeSleep() -> Bool {
        defer { isWriterAsleep = false }
        return isWriterAsleep
    }
}
