/// A bounded buffer of a stream's unread reports; if it is full, the oldest report is lost.
///
/// The next report that is read contains the number of lost reports. A waiting reader is woken when no report follows
/// immediately, or when a whole batch is buffered.
///
/// The matcher's output is stored as a reference so that this class isn't generic. The bus calls the buffer as one of
/// several observers, so the compiler couldn't specialize a generic class, and each report would cost several times as
/// much.
final class ObserverBuffer: Sendable {
    /// The output of the observer's matcher, boxed.
    typealias Output = any AnyObject & Sendable

    struct Element {
        var report: ErrorReport
        let output: Output?
    }

    private struct State {
        var elements = FIFO<Element>()
        /// The number of reports lost since the last read.
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

    /// Creates a buffer for a number of reports, which must be at least 1.
    ///
    /// The bus's worker calls the closure with every report; it returns nil for a report that isn't for this observer.
    /// If there is no closure, the observer receives every report.
    init(bufferingNewest limit: Int, match: (@Sendable (ErrorReport) -> Output?)?) {
        self.limit = limit
        batch = min(max(limit / 2, 1), 64)
        self.match = match
    }

    /// Adds a report unless the stream has ended or the report isn't for it; only the worker calls it.
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

    /// Wakes the waiting readers if there are reports for them, or if the stream has ended.
    func wakeReader() {
        while let (reader, element) = state.withLock({ Self.served(&$0) }) { reader.resume(returning: element) }
    }

    /// Removes and returns a waiting reader together with its report; at the end of the stream, the report is nil.
    ///
    /// The result is nil if there is no waiting reader, or if there is no report for it.
    private static func served(_ state: inout State) -> (CheckedContinuation<Element?, Never>, Element?)? {
        if state.elements.isEmpty, !state.isFinished { return nil }
        guard let reader = state.readers.popFirst() else { return nil }
        return (reader, pop(&state))
    }

    /// Ends the stream; the buffered reports can still be read, but no reports follow them.
    func finish() {
        state.withLock { $0.isFinished = true }
        wakeReader()
    }

    /// Waits for the next report and returns it; nil at the end of the stream.
    func next() async -> Element? {
        if let element = state.withLock({ Self.pop(&$0) }) { return element }
        return await withCheckedContinuation { reader in
            state.withLock { $0.readers.append(reader) }
            wakeReader()
        }
    }

    /// Removes and returns the oldest report, which then contains the number of reports lost before it.
    private static func pop(_ state: inout State) -> Element? {
        guard var element = state.elements.popFirst() else { return nil }
        element.report.missed = Int(clamping: state.missed)
        state.missed = 0
        return element
    }
}

/// The streams of reports: each reads its own buffer.
extension ObserverBuffer {
    /// Returns a stream of every report of a bus or a scope.
    static func reports(_ limit: Int, of poster: any ErrorPosting) -> AsyncStream<ErrorReport> {
        stream(limit, of: poster, match: nil) { $0.report }
    }

    /// Returns a stream of the reports whose errors a matcher matches.
    static func reports<Value>(
        matching matcher: ErrorMatcher<Value>, _ limit: Int, of poster: any ErrorPosting
    ) -> AsyncStream<(output: Value, report: ErrorReport)> {
        stream(limit, of: poster, match: { matcher.match($0.error).map(Box.init) }) { element in
            (element.output as? Box<Value>).map { ($0.value, element.report) }
        }
    }

    /// Returns a stream of what a closure reads from each element; if there is no bus, the stream ends immediately.
    ///
    /// The stream retains its observation, so it stops observing when it is released.
    private static func stream<Value>(
        _ limit: Int, of poster: any ErrorPosting, match: (@Sendable (ErrorReport) -> Output?)?,
        _ read: @escaping @Sendable (Element) -> Value?
    ) -> AsyncStream<Value> {
        if limit < 1 { fatalError("reports(bufferingNewest:) must be at least 1, not \(limit)") }
        let buffer = ObserverBuffer(bufferingNewest: limit, match: match)
        let (bus, scope) = poster.target
        let observer = ReportObserver(
            of: scope?.context, buffer.offer, onEnd: { _ in buffer.finish() }, wakeReader: buffer.wakeReader)
        let observation = ErrorObservation(observer, of: bus)
        return AsyncStream(unfolding: { await buffer.next().flatMap(read) }) {
            observation.cancel()
            // End the stream even if its matcher is running; the observation ends after that.
            buffer.finish()
        }
    }
}
