/// The reports that a recorder has received but not yet written, with the counts.
///
/// It is a plain value without side effects.
///
/// Only the writer takes elements, and it calls ``finished(written:failed:)`` afterward. Until then, the elements
/// count as pending and use capacity.
struct RecorderQueue<Element> {
    /// An element with its number among all recorded elements.
    struct Entry {
        let number: Int
        let element: Element
    }

    /// The writer's next step.
    enum Step {
        /// Write the batch, and count all its elements with ``finished(written:failed:)``.
        case write
        /// Sleep until a caller wakes the writer.
        case sleep
        /// End, because the queue is closed and empty.
        case end
    }

    /// The maximum number of pending elements.
    let capacity: Int
    private(set) var statistics = ErrorRecorder.Statistics()
    private(set) var isClosed = false
    private(set) var hasEnded = false
    private var waiting: [Entry] = []
    /// The number of elements that the writer has taken but not finished.
    private var taken = 0
    private var isWriterAsleep = false

    /// A capacity of less than 1 counts as 1.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// Adds an element, or drops it if the queue is full or closed; returns whether the caller must wake the writer.
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

    /// Closes the queue for new elements, and returns whether the caller must wake the writer.
    mutating func close() -> Bool {
        isClosed = true
        return takeSleep()
    }

    /// Returns the writer's next step.
    ///
    /// The writer calls it when it has finished all elements that it took. `batch` must be empty and receives all
    /// waiting elements. Only the writer references the batch, so it can release elements that it has written.
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
