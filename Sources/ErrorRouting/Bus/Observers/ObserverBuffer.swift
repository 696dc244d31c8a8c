/// What the reader of a stream has not read yet: bounded, and the oldest goes first.
///
/// It counts what it loses, and the next report that is read says so. A reader who waits is woken when there is nothing
/// to add for the moment, or as much as it should not let come together.
///
/// Not generic over what a matcher hands on, which is behind a reference: the compiler could not specialise it, since
/// the bus calls it as one observer of several, and a report would cost several times as much.
final class ObserverBuffer: ReportObserver {
    /// What the observer's matcher hands on.
    typealias Output = any AnyObject & Sendable

    struct Element {
        var report: ErrorReport
        let output: Output?
    }

    private struct State {
        var elements = FIFO<Element>()
        /// How many were lost since one was read.
        var missed: Int64 = 0
        var isFinished = false
        /// Readers who wait; one, where a stream is used as it should be.
        var readers = FIFO<CheckedContinuation<Element?, Never>>()
    }

    private let limit: Int
    /// How many reports may come together before a reader who waits is woken.
    private let batch: Int
    private let match: (@Sendable (ErrorReport) -> Output?)?
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: How many reports it holds; at least 1.
    ///   - match: Asked of every report, by the bus; returns nil for one that is not for this observer. Nil where all
    ///     are.
    init(bufferingNewest limit: Int, match: (@Sendable (ErrorReport) -> Output?)?) {
        self.limit = limit
        batch = min(max(limit / 2, 1), 64)
        self.match = match
    }

    func offer(_ report: ErrorReport) {
        let output = match?(report)
        if match != nil, output == nil { return }
        // What is lost is let go outside the lock, since an error's end may run code of the user's.
        let (isBatch, lost) = state.withLock { state -> (Bool, Element?) in
            if state.isFinished { return (false, nil) }
            let lost = state.elements.count >= limit ? state.elements.popFirst() : nil
            if lost != nil { state.missed += 1 }
            state.elements.append(Element(report: report, output: output))
            return (state.elements.count >= batch && !state.readers.isEmpty, lost)
        }
        if isBatch { wakeReader() }
        withExtendedLifetime(lost) {}
    }

    func wakeReader() {
        while let (reader, element) = state.withLock({ Self.served(&$0) }) { reader.resume(returning: element) }
    }

    /// A reader who waits, and what there is for it.
    private static func served(_ state: inout State) -> (CheckedContinuation<Element?, Never>, Element)? {
        guard !state.readers.isEmpty, let element = pop(&state), let reader = state.readers.popFirst() else {
            return nil
        }
        return (reader, element)
    }

    func finish(_ statistics: ErrorBus.Statistics) { finish() }

    /// What is there can still be read; nothing comes after it.
    func finish() {
        wakeReader()
        let readers = state.withLock { state in
            state.isFinished = true
            var readers: [CheckedContinuation<Element?, Never>] = []
            while let reader = state.readers.popFirst() { readers.append(reader) }
            return readers
        }
        for reader in readers { reader.resume(returning: nil) }
    }

    /// The next report, once there is one; nil at the end.
    func next() async -> Element? {
        if let element = state.withLock({ Self.pop(&$0) }) { return element }
        return await withCheckedContinuation { reader in
            let answer = state.withLock { state -> Element?? in
                if let element = Self.pop(&state) { return element }
                if state.isFinished { return .some(nil) }
                state.readers.append(reader)
                return nil
            }
            if let answer { reader.resume(returning: answer) }
        }
    }

    private static func pop(_ state: inout State) -> Element? {
        guard var element = state.elements.popFirst() else { return nil }
        element.report.missed = Int(clamping: state.missed)
        state.missed = 0
        return element
    }
}
