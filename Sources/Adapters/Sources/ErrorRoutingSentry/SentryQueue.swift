/// A plain value with the events that are waiting to be sent and the logic that decides what happens to them.
///
/// Each event is received once, and then reaches exactly one final state: it is sent, discarded, or failed. Until then,
/// it is pending. Only one event or client report is sent at a time. Times are durations since the sink was created.
struct SentryQueue<Event: Sendable>: Sendable {
    /// The sender's next step.
    enum Step: Sendable {
        /// Send an event, and call ``answered(status:header:retryAfter:at:)``, ``failed(_:)``, or ``discarded(_:)``.
        case send(Event)
        /// Send a client report with these counts, and call `answered` or `failed`.
        case report([SentryDiscardReason: Int])
        /// Release these events, which were discarded because of a rate limit, and continue.
        case release([Event])
        /// Wait for a wake-up or until a time.
        case wait(until: Duration?)
        /// Stop.
        case stop
    }

    /// The item that is being sent.
    private enum Sending {
        case event
        case report([SentryDiscardReason: Int])
    }

    private enum Phase { case open, closing, ended }

    /// The minimum time between two client reports.
    static var reportInterval: Duration { .seconds(30) }
    /// The minimum time between two lines in the log.
    static var noticeInterval: Duration { .seconds(3600) }

    private let capacity: Int
    private var phase = Phase.open
    private var waiting: [Event] = []
    private var sending: Sending?
    private var limits = RateLimits()
    private(set) var statistics = SentryStatistics()

    /// The discarded events that aren't yet in a client report.
    private var unreported: [SentryDiscardReason: Int] = [:]
    private var lastReport: Duration?
    private var isLastReportTried = false
    private var noticed: (at: Duration, lost: Int)?
    /// The reason for the last failure to send something.
    private var cause: String?

    init(capacity: Int) { self.capacity = capacity }

    // MARK: The bus's side

    /// Receives an event, and returns whether to wake the sender; also returns the event if it was discarded.
    ///
    /// Release a discarded event outside the lock, because releasing it might run user code.
    mutating func receive(_ event: Event, at now: Duration) -> (wakes: Bool, discarded: Event?) {
        defer { check() }
        statistics.received += 1
        // Drop an event that arrives after the end, without reporting it to Sentry.
        if phase == .ended { return count(.shutdown, event) }
        if limits.forbidErrors(at: now) { return count(.rateLimit, event) }
        if waiting.count >= capacity { return count(.queueOverflow, event) }
        waiting.append(event)
        statistics.pending += 1
        return (waiting.count == 1, nil)
    }

    private mutating func count(_ reason: SentryDiscardReason, _ event: Event) -> (wakes: Bool, discarded: Event?) {
        lose(1, reason)
        // Wake the sender for the first discarded event, so that it sets a timer for the client report.
        return (reason != .shutdown && unreported.count == 1 && unreported[reason] == 1, event)
    }

    // MARK: The sender's side

    /// Returns the sender's next step.
    mutating func next(at now: Duration) -> Step {
        defer { check() }
        assert(sending == nil, "two things are being sent")
        if phase == .ended { return .stop }
        if !waiting.isEmpty, limits.forbidErrors(at: now) {
            let released = waiting
            waiting = []
            statistics.pending -= released.count
            lose(released.count, .rateLimit)
            return .release(released)
        }
        // Check for a due client report first: a flood of events must not delay the reports that describe the flood.
        if let report = dueReport(at: now, isIdle: waiting.isEmpty) {
            sending = .report(report)
            return .report(report)
        }
        if !waiting.isEmpty {
            sending = .event
            return .send(waiting.removeFirst())
        }
        if phase == .closing {
            phase = .ended
            return .stop
        }
        return .wait(until: unreported.isEmpty ? nil : reportTime(after: now))
    }

    /// Counts the event that is being sent as discarded, because it never left the process.
    mutating func discarded(_ reason: SentryDiscardReason) {
        defer { check() }
        guard endSending() != nil else { return }
        statistics.pending -= 1
        lose(1, reason)
    }

    /// Processes the response to the item that is being sent.
    mutating func answered(status: Int, header: String?, retryAfter: Duration?, at now: Duration) {
        defer { check() }
        limits.apply(status: status, header: header, retryAfter: retryAfter, at: now)
        if !(200..<300).contains(status) { cause = "status \(status)" }
        switch endSending() {
        case nil: break
        case .event:
            statistics.pending -= 1
            switch status {
            case 200..<300: statistics.sent += 1
            // Keep refused events out of client reports, because the server counts them itself.
            case 429: lose(1, .refused)
            default: lose(1, .sendError)
            }
        case .report(let counts):
            // Retry only after a 429: a server that rejects a client report for another reason would reject it again.
            if status == 429 { restore(counts) }
        }
    }

    /// Processes a failure of all attempts to send an item.
    mutating func failed(_ cause: String) {
        defer { check() }
        self.cause = cause
        switch endSending() {
        case nil: break
        case .event:
            statistics.pending -= 1
            lose(1, .networkError)
        case .report(let counts): restore(counts)
        }
    }

    // MARK: The end

    /// Lets the sender stop after it has sent everything.
    mutating func close() { if phase == .open { phase = .closing } }

    /// Stops sending immediately, counts pending events as lost, and returns the events whose sending hadn't begun.
    ///
    /// Release the returned events outside the lock.
    mutating func abandon() -> [Event] {
        defer { check() }
        if phase == .ended, sending == nil { return [] }
        phase = .ended
        let left = waiting
        waiting = []
        lose(left.count, .shutdown)
        statistics.pending -= left.count
        // Count the event that is being sent as failed, although the server might still have received it.
        if case .event = endSending() {
            statistics.pending -= 1
            lose(1, .networkError)
        }
        return left
    }

    /// Returns a log line about the events that were lost since the last line.
    ///
    /// It is nil if no further events were lost, or if there was a line within the last hour.
    mutating func notice(at now: Duration) -> String? {
        let lost = statistics.lost
        if let noticed, now < noticed.at + Self.noticeInterval { return nil }
        guard lost > noticed?.lost ?? 0 else { return nil }
        defer { noticed = (now, lost) }
        let reason = cause.map { " (last: \($0))" } ?? ""
        return """
            events that did not reach Sentry: \(lost - (noticed?.lost ?? 0))\(reason); no further line about it for an \
            hour; \(statistics)
            """
    }

    // MARK: Counts

    private mutating func endSending() -> Sending? { sending.take() }

    private mutating func lose(_ number: Int, _ reason: SentryDiscardReason) {
        if number == 0 { return }
        statistics.lose(number, reason)
        if reason.isReported { unreported[reason, default: 0] += number }
    }

    private mutating func restore(_ counts: [SentryDiscardReason: Int]) {
        unreported.merge(counts, uniquingKeysWith: +)
    }

    /// Returns the counts for a client report that is due, and resets them; nil if no report is due.
    private mutating func dueReport(at now: Duration, isIdle: Bool) -> [SentryDiscardReason: Int]? {
        if unreported.isEmpty || limits.forbidAll(at: now) { return nil }
        let isLast = phase == .closing && isIdle
        if !isLast, reportTime(after: now) > now { return nil }
        if isLast {
            // Try the last report only once, because restored counts must not keep a closing sender from stopping.
            if isLastReportTried { return nil }
            isLastReportTried = true
        }
        lastReport = now
        defer { unreported = [:] }
        return unreported
    }

    /// Returns the earliest time for the next client report.
    private func reportTime(after now: Duration) -> Duration {
        max(limits.endOfAll(after: now) ?? now, lastReport.map { $0 + Self.reportInterval } ?? now)
    }

    private func check() { assert(statistics.isBalanced, "\(statistics)") }
}
