/// A bounded buffer of the unread reports of a stream; if it is full, the oldest report is lost.
///
/// The next report that is read has the number of lost ones. A waiting reader is woken when no report follows
/// immediately or when a whole batch is buffered.
///
/// The matcher's output is stored as a reference so that this class isn't generic. The bus calls it as one of several
/// observers, so the compiler couldn't specialize a generic class, and each report would cost several times as much.
final class ObserverBuffer: ReportObserver {
    /// The output of the observer's matcher, boxed.
    typealias Output = any AnyObject & Sendable

    struct Element {
        var report: ErrorReport
        let output: Output?
    }

    private struct State {
        var elements = FIFO<Element>()
        /// The number of reports lost since one was read.
        var missed: Int64 = 0
        var isFinished = false
        /// The waiting readers; at most one, if the stream is used as documented.
        var readers = FIFO<CheckedContinuation<Element?, Never>>()
    }

    private let limit: Int
    /// The number of buffered reports at which a waiting reader is woken.
    private let batch: Int
    private let match: (@Sendable (ErrorReport) -> Output?)?
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: The number of reports that the buffer holds; at least 1.
    ///   - match: Called by the bus's worker with every report; returns nil for a report that isn't for this observer.
    ///     Without a closure, the observer receives every report.
    init(bufferingNewest limit: Int, match: (@Sendable (ErrorReport) -> Output?)?) {
        self.limit = limit
        batch = min(max(limit / 2, 1), 64)
        self.match = match
    }

    func offer(_ report: ErrorReport) {
        let output = match?(report)
        if match != nil, output == nil { return }
        // Release the lost report outside the lock: deallocating an error might run user code.
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

    /// Takes a waiting reader with its report, or with nil at the end; returns nil if there is no reader or nothing for
    /// it.
    private static func served(_ state: inout State) -> (CheckedContinuation<Element?, Never>, Element?)? {
        if state.elements.isEmpty, !state.isFinished { return nil }
        guard let reader = state.readers.popFirst() else { return nil }
        return (reader, pop(&state))
    }

    /// Ends the stream; the buffered reports can still be read, and nothing follows them.
    func finish(_: ErrorBus.Statistics = .init()) {
        state.withLock { $0.isFinished = true }
        wakeReader()
    }

    /// Waits for the next report and returns it; nil at the end.
    func next() async -> Element? {
        if let element = state.withLock({ Self.pop(&$0) }) { return element }
        return await withCheckedContinuation { reader in
            state.withLock { $0.readers.append(reader) }
            wakeReader()
        }
    }

    /// Takes the oldest report and sets the number of reports lost before it.
    private static func pop(_ state: inout State) -> Element? {
        guard var element = state.elements.popFirst() else { return nil }
        element.report.missed = Int(clamping: state.missed)
        state.missed = 0
        return element
    }
}
