/// Why an event didn't reach Sentry, with the names that Sentry uses in client reports.
public enum SentryDiscardReason: String, Sendable, Hashable, CaseIterable {
    /// The queue was full.
    case queueOverflow = "queue_overflow"
    /// Sentry had set a rate limit, so the event wasn't sent.
    case rateLimit = "ratelimit_backoff"
    /// `beforeSend` returned nil.
    case beforeSend = "before_send"
    /// All attempts to reach the server failed.
    case networkError = "network_error"
    /// The server rejected the event.
    case sendError = "send_error"
    /// The event couldn't be encoded.
    case internalError = "internal_sdk_error"
    /// The server answered with 429; it counts these events itself, so they aren't in client reports.
    case refused = "rate_limited"
    /// The time for the shutdown ran out, so client reports can't contain these events.
    case shutdown = "shutdown"

    /// Whether client reports contain this reason.
    var isReported: Bool { self != .refused && self != .shutdown }

    /// Whether an attempt was made to send the event.
    var isFailure: Bool { self == .networkError || self == .sendError || self == .refused }
}

/// How many events a ``SentrySink`` received, and what happened to them.
///
/// At any time, `received` is the sum of `sent`, `discarded`, `failed`, and `pending`.
public struct SentryStatistics: Sendable, Hashable, CustomStringConvertible {
    /// The reports that were chosen to be sent.
    public internal(set) var received = 0
    /// The events that Sentry accepted.
    public internal(set) var sent = 0
    /// The events that are waiting or being sent.
    public internal(set) var pending = 0
    /// The number of events that didn't reach Sentry, by reason.
    public internal(set) var reasons: [SentryDiscardReason: Int] = [:]

    /// The events that the sink didn't try to send.
    ///
    /// The queue was full, a rate limit was in effect, `beforeSend` returned nil, the event couldn't be encoded, or the
    /// time for the shutdown ran out.
    public var discarded: Int { sum { !$0.isFailure } }
    /// The events that the sink couldn't send or that the server rejected.
    public var failed: Int { sum(\.isFailure) }

    init() {}

    /// The counts on one line, with the reasons in parentheses.
    public var description: String {
        func detailed(_ number: Int, _ isFailure: Bool) -> String {
            let parts = reasons.filter { $0.key.isFailure == isFailure }.sorted { $0.key.rawValue < $1.key.rawValue }
            let text = parts.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", ")
            return parts.isEmpty ? "\(number)" : "\(number) (\(text))"
        }
        return """
            received: \(received), sent: \(sent), discarded: \(detailed(discarded, false)), \
            failed: \(detailed(failed, true)), pending: \(pending)
            """
    }

    /// The events that didn't reach Sentry, not counting events that `beforeSend` discarded.
    var lost: Int { sum { $0 != .beforeSend } }

    var isBalanced: Bool { received == sent + discarded + failed + pending && pending >= 0 }

    mutating func lose(_ number: Int, _ reason: SentryDiscardReason) { reasons[reason, default: 0] += number }

    private func sum(_ condition: (SentryDiscardReason) -> Bool) -> Int {
        reasons.reduce(0) { condition($1.key) ? $0 + $1.value : $0 }
    }
}
