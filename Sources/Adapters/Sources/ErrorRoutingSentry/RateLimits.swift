import Foundation

/// The times until which Sentry doesn't accept errors, or doesn't accept any requests.
///
/// Times are durations since the sink was created.
struct RateLimits: Sendable, Equatable {
    /// A limit in a response.
    struct Limit: Sendable, Equatable {
        let duration: Duration
        /// The categories; empty for all categories.
        let categories: [String]

        var concernsErrors: Bool { categories.isEmpty || categories.contains("error") }
    }

    /// The longest time for which a limit is in effect, because a faulty server could otherwise silence a process.
    static let longest: Duration = .seconds(24 * 3600)
    /// The limit that a 429 implies if its fields don't contain a limit.
    static let unspecified: Duration = .seconds(60)

    private var errors: Duration?
    private var all: Duration?

    /// Returns whether events must not be sent at a given time.
    func forbidErrors(at now: Duration) -> Bool { forbidAll(at: now) || errors.map { now < $0 } ?? false }

    /// Returns whether all requests are forbidden at a given time, including client reports.
    func forbidAll(at now: Duration) -> Bool { all.map { now < $0 } ?? false }

    /// Returns the time from which a client report can be sent; nil if it can be sent now.
    func endOfAll(after now: Duration) -> Duration? { all.flatMap { now < $0 ? $0 : nil } }

    /// Applies the limits of a response; a limit that ends earlier than a known limit has no effect.
    ///
    /// `header` is the value of `X-Sentry-Rate-Limits`, and `retryAfter` is the value of `Retry-After`.
    mutating func apply(status: Int, header: String?, retryAfter: Duration?, at now: Duration) {
        var limits = header.map(Self.limits) ?? []
        if status == 429, limits.isEmpty {
            limits = [Limit(duration: retryAfter ?? Self.unspecified, categories: [])]
        }
        for limit in limits where limit.concernsErrors {
            let end = now + min(max(.zero, limit.duration), Self.longest)
            if limit.categories.isEmpty { all = max(all ?? end, end) } else { errors = max(errors ?? end, end) }
        }
    }

    /// Returns the limits in the value of `X-Sentry-Rate-Limits`, skipping invalid parts.
    static func limits(_ header: String) -> [Limit] {
        header.split(separator: ",").compactMap { text in
            let fields = text.split(separator: ":", omittingEmptySubsequences: false).map {
                $0.filter { !$0.isWhitespace }
            }
            guard fields.count > 1, let seconds = Double(fields[0]), seconds.isFinite else { return nil }
            let bounded = min(max(0, seconds), longest / .seconds(1))
            let categories = fields[1].split(separator: ";").map { $0.lowercased() }
            return Limit(duration: .seconds(bounded), categories: categories)
        }
    }
}
