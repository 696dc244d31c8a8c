import Testing

@testable import ErrorRoutingSentry

@Suite("Sentry's rate limits are read and obeyed", .timeLimit(.minutes(2)))
struct RateLimitsTests {
    /// Returns how many seconds errors, and then all requests, are forbidden after a response.
    private func seconds(_ status: Int, _ header: String?, retryAfter: Duration? = nil) -> [Int] {
        var limits = RateLimits()
        limits.apply(status: status, header: header, retryAfter: retryAfter, at: .zero)
        func first(_ isForbidden: (Duration) -> Bool) -> Int {
            (0...90_000).first { !isForbidden(.seconds($0)) } ?? -1
        }
        return [first(limits.forbidErrors), first(limits.forbidAll)]
    }

    @Test func `limits are read as Sentry's documents describe them`() {
        let day = 24 * 3600
        for (status, header, retryAfter, expected) in [
            (429, "60:transaction:key, 2700:default;error;security:organization", nil, [2700, 0]),
            (429, "60::organization, 2700::organization", nil, [2700, 2700]),
            (200, "60:error:key", nil, [60, 0]),
            (200, " 6 0 : error ; transaction : key : reason : more : parts ", nil, [60, 0]),
            (200, "1.5:error", nil, [2, 0]),
            (200, "60:ERROR:key", nil, [60, 0]),
            // A limit for unknown categories alone has no effect.
            (429, "60:metric_bucket:organization:quota_exceeded:custom", nil, [0, 0]),
            // The longest limit is in effect, regardless of the order.
            (200, "90:error:key, 10:error:key, 5::key", nil, [90, 5]),
            (429, nil, .seconds(7), [7, 7]),
            (429, nil, nil, [60, 60]),
            // Without the header, only a 429 sets a limit.
            (503, nil, .seconds(7), [0, 0]), (200, nil, .seconds(7), [0, 0]),
            // The header takes precedence over `Retry-After`.
            (429, "5:error:key", .seconds(7), [5, 0]),
            // An unreadable header doesn't set a limit, but a 429 does.
            (429, "soon:error:key", nil, [60, 60]), (200, "soon:error:key", nil, [0, 0]), (200, "60", nil, [0, 0]),
            (429, ",,:,::", nil, [60, 60]), (200, "nan:error, inf:error", nil, [0, 0]),
            (200, "-5:error:key", nil, [0, 0]),
            (200, "1e300:error:key", nil, [day, 0]), (429, nil, .seconds(Int64.max), [day, day]),
        ] as [(Int, String?, Duration?, [Int])] {
            #expect(seconds(status, header, retryAfter: retryAfter) == expected, "\(status) \(header ?? "no header")")
        }
    }

    @Test func `a shorter limit does not shorten a longer one`() {
        var limits = RateLimits()
        limits.apply(status: 200, header: "60:error:key", retryAfter: nil, at: .zero)
        limits.apply(status: 200, header: "10:error:key", retryAfter: nil, at: .zero)
        #expect(limits.forbidErrors(at: .seconds(59)) && !limits.forbidErrors(at: .seconds(60)))
        #expect(limits.endOfAll(after: .zero) == nil)
    }
}
