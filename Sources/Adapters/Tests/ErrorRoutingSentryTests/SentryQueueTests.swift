import Testing

@testable import ErrorRoutingSentry

@Suite("A Sentry sink's queue sends or counts each event", .timeLimit(.minutes(2)))
struct SentryQueueTests {
    private typealias Queue = SentryQueue<Int>

    /// Returns the next step as a string, so that it can be compared.
    private func next(_ queue: inout Queue, at now: Duration = .zero) -> String {
        switch queue.next(at: now) {
        case .send(let event): "send \(event)"
        case .report(let counts): "report \(counts.map { "\($0.key.rawValue) \($0.value)" }.sorted())"
        case .release(let events): "release \(events)"
        case .wait(let end): end.map { "wait until \($0)" } ?? "wait"
        case .stop: "stop"
        }
    }

    private func answer(_ queue: inout Queue, _ status: Int, _ header: String? = nil, at now: Duration = .zero) {
        queue.answered(status: status, header: header, retryAfter: nil, at: now)
    }

    @Test func `it sends events in order, one at a time, wakes its sender for the first, and discards the newest`() {
        var queue = Queue(capacity: 2)
        #expect(next(&queue) == "wait")
        #expect(queue.receive(1, at: .zero) == (true, nil))
        #expect(queue.receive(2, at: .zero) == (false, nil))
        #expect(queue.receive(3, at: .zero) == (true, 3))
        #expect(queue.receive(4, at: .zero) == (false, 4))
        #expect(queue.statistics.description.hasPrefix("received: 4, sent: 0, discarded: 2 (queue_overflow 2)"))
        #expect(next(&queue) == #"report ["queue_overflow 2"]"#)
        answer(&queue, 200)
        #expect(next(&queue) == "send 1")
        // The event that is being sent no longer uses capacity.
        #expect(queue.receive(5, at: .zero) == (false, nil))
        answer(&queue, 200)
        #expect(next(&queue) == "send 2")
        queue.failed("a timeout")
        #expect(next(&queue) == "send 5")
        queue.discarded(.beforeSend)
        #expect(next(&queue) == "wait until 30.0 seconds")
        #expect(next(&queue, at: .seconds(30)) == #"report ["before_send 1", "network_error 1"]"#)
        queue.failed("a timeout")
        // A client report that couldn't be sent is sent again, together with the events discarded by then.
        #expect(next(&queue, at: .seconds(31)) == "wait until 60.0 seconds")
        #expect(next(&queue, at: .seconds(60)) == #"report ["before_send 1", "network_error 1"]"#)
        answer(&queue, 200)
        #expect(next(&queue, at: .seconds(99)) == "wait")
        #expect(queue.statistics.sent == 1 && queue.statistics.failed == 1 && queue.statistics.discarded == 3)
    }

    @Test func `it reports each loss to the server, except for losses that the server counts itself`() {
        for (status, reason, reported) in [
            (400, SentryDiscardReason.sendError, true), (413, .sendError, true), (500, .sendError, true),
            (302, .sendError, true), (429, .refused, false),
        ] {
            var queue = Queue(capacity: 1)
            _ = queue.receive(1, at: .zero)
            #expect(next(&queue) == "send 1")
            answer(&queue, status)
            #expect(queue.statistics.reasons == [reason: 1] && queue.statistics.failed == 1, "\(status)")
            #expect(next(&queue, at: .seconds(61)) == (reported ? #"report ["send_error 1"]"# : "wait"), "\(status)")
        }
    }

    @Test func `while a limit is in effect, it discards waiting and new events, and sends none of them later`() {
        var queue = Queue(capacity: 9)
        for event in 1...3 { _ = queue.receive(event, at: .zero) }
        #expect(next(&queue) == "send 1")
        answer(&queue, 200, "10:error:key")
        #expect(next(&queue, at: .seconds(9)) == "release [2, 3]")
        #expect(queue.receive(4, at: .seconds(9)) == (false, 4))
        // The limit applies only to errors, so a client report may be sent.
        #expect(next(&queue, at: .seconds(9)) == #"report ["ratelimit_backoff 3"]"#)
        answer(&queue, 200, at: .seconds(9))
        #expect(queue.receive(5, at: .seconds(10)) == (true, nil))
        #expect(next(&queue, at: .seconds(10)) == "send 5")
        answer(&queue, 200, "10::key", at: .seconds(10))
        #expect(queue.receive(6, at: .seconds(11)) == (true, 6))
        #expect(next(&queue, at: .seconds(11)) == "wait until 39.0 seconds")
        #expect(queue.statistics.sent == 2 && queue.statistics.reasons == [.rateLimit: 4])
    }

    @Test func `a client report that meets a limit for everything is sent when the limit has expired`() {
        var queue = Queue(capacity: 1)
        for event in 1...2 { _ = queue.receive(event, at: .zero) }
        #expect(next(&queue) == #"report ["queue_overflow 1"]"#)
        answer(&queue, 429)
        #expect(next(&queue) == "release [1]")
        #expect(next(&queue, at: .seconds(50)) == "wait until 60.0 seconds")
        #expect(next(&queue, at: .seconds(60)) == #"report ["queue_overflow 1", "ratelimit_backoff 1"]"#)
    }

    @Test func `it stops when it is closed and empty, after one attempt to send the last client report`() {
        var queue = Queue(capacity: 1)
        for event in 1...2 { _ = queue.receive(event, at: .zero) }
        queue.close()
        #expect(next(&queue) == #"report ["queue_overflow 1"]"#)
        answer(&queue, 200)
        #expect(next(&queue) == "send 1")
        queue.failed("a timeout")
        #expect(next(&queue) == #"report ["network_error 1"]"#)
        queue.failed("a timeout")
        #expect(next(&queue) == "stop")
        #expect(next(&queue) == "stop")
        #expect(queue.receive(3, at: .zero) == (false, 3))
        #expect(queue.statistics.reasons == [.queueOverflow: 1, .networkError: 1, .shutdown: 1])
    }

    @Test func `a forced end counts the waiting events and the event being sent, and ignores later answers`() {
        var queue = Queue(capacity: 9)
        for event in 1...3 { _ = queue.receive(event, at: .zero) }
        #expect(next(&queue) == "send 1")
        #expect(queue.abandon() == [2, 3])
        #expect(queue.abandon() == [])
        let statistics = queue.statistics
        #expect(statistics.reasons == [.shutdown: 2, .networkError: 1] && statistics.pending == 0)
        answer(&queue, 200)
        queue.failed("a timeout")
        #expect(queue.statistics == statistics && next(&queue) == "stop")
    }

    @Test func `it announces losses immediately, and then once an hour, with the number since the last time`() {
        var queue = Queue(capacity: 1)
        #expect(queue.notice(at: .zero) == nil)
        for event in 1...3 { _ = queue.receive(event, at: .zero) }
        #expect(queue.notice(at: .zero)?.hasPrefix("events that did not reach Sentry: 2; no further line ") == true)
        for event in 4...8 { _ = queue.receive(event, at: .zero) }
        #expect(queue.notice(at: .seconds(3599)) == nil)
        _ = next(&queue)
        queue.failed("a timeout")
        let line = queue.notice(at: .seconds(3600))
        #expect(line?.hasPrefix("events that did not reach Sentry: 5 (last: a timeout); ") == true)
        #expect(queue.notice(at: .seconds(9000)) == nil)
        // An event that the program itself discards isn't a loss.
        _ = next(&queue)
        queue.discarded(.beforeSend)
        #expect(queue.notice(at: .seconds(9000)) == nil)
    }

    /// The reference model tracks only which events exist and where each of them is.
    @Test(arguments: 0..<200) func `each event has exactly one outcome in random histories`(seed: UInt64) {
        var generator = Seeded(state: seed)
        var queue = Queue(capacity: Int.random(in: 1...4, using: &generator))
        var now = Duration.zero
        var (received, sent, isSending, isReporting) = (0, 0, false, false)
        var told: [SentryDiscardReason: Int] = [:]
        var reporting: [SentryDiscardReason: Int] = [:]
        var expected: [Int] = []
        for _ in 0..<300 {
            now += .seconds(Int.random(in: 0...7, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...3:
                received += 1
                if queue.receive(received, at: now).discarded == nil { expected.append(received) }
            case 4...6 where !isSending:
                switch queue.next(at: now) {
                case .send(let event):
                    #expect(event == expected.removeFirst())
                    isSending = true
                case .report(let counts): (isSending, isReporting, reporting) = (true, true, counts)
                case .release(let events):
                    #expect(events == expected)
                    expected = []
                case .wait: #expect(expected.isEmpty)
                case .stop: Issue.record("nobody has closed it")
                }
            default:
                guard isSending else { continue }
                let status = [200, 200, 200, 400, 429, 500].randomElement(using: &generator) ?? 200
                let header =
                    ["9:error:key", "9::key", "9:log_item:key", nil, nil].randomElement(using: &generator) ?? nil
                let fails = Bool.random(using: &generator)
                if fails { queue.failed("a timeout") } else { answer(&queue, status, header, at: now) }
                if isReporting {
                    if !fails, status != 429 { told.merge(reporting, uniquingKeysWith: +) }
                } else if !fails, status == 200 {
                    sent += 1
                }
                (isSending, isReporting) = (false, false)
            }
            let statistics = queue.statistics
            #expect(statistics.received == received && statistics.sent == sent)
            #expect(statistics.pending == expected.count + (isSending && !isReporting ? 1 : 0))
            #expect(received == sent + statistics.discarded + statistics.failed + statistics.pending)
            for (reason, number) in told { #expect(number <= statistics.reasons[reason] ?? 0) }
        }
        _ = queue.abandon()
        #expect(queue.statistics.pending == 0 && queue.statistics.isBalanced)
    }
}

/// SplitMix64.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
