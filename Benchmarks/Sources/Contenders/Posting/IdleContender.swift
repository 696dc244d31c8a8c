import ErrorRouting

/// One error at a time, posted while the transport's loop is asleep.
package struct IdleContender: Sendable {
    /// What it is: the line it belongs to in a table.
    package let name: String
    private let makeTransport: @Sendable () -> any SynchronousTransport

    /// Everything there is to measure.
    package static let all = [
        IdleContender(name: "ErrorBus, idle") {
            BusTransport(
                capacity: 8,
                handler: Handlers.plainTypes().on(Ping.self) { ping in
                    ping.hasArrived()
                    return .stop
                }
            )
        },
        IdleContender(name: "AsyncStream, idle") {
            StreamTransport { error in
                if let ping = error as? Ping { ping.hasArrived() } else { handleBySwitch8(error) }
            }
        },
    ]

    /// An error whose action tells its poster when it ran.
    private struct Ping: Error {
        let answer: CheckedContinuation<ContinuousClock.Instant, Never>

        func hasArrived() { answer.resume(returning: .now) }
    }

    /// Measures some hundred times, with a new transport.
    ///
    /// - Returns: Nanoseconds from a post to its action's running: the median, since now and then the machine does
    ///   something else.
    @concurrent
    package func sample() async -> Double {
        let transport = makeTransport()
        let loop = Task.detached { await transport.run() }
        var latencies: [Duration] = []
        for _ in 0..<400 {
            // The loop goes to sleep.
            try? await Task.sleep(for: .microseconds(50))
            var posted = ContinuousClock.now
            let handled = await withCheckedContinuation { answer in
                let ping = Ping(answer: answer)
                posted = .now
                transport.post(ping)
            }
            latencies.append(posted.duration(to: handled))
        }
        transport.finish()
        _ = await loop.value
        latencies.sort()
        return latencies[latencies.count / 2] / .nanoseconds(1)
    }
}
