import ErrorRouting

/// Measures one error at a time, posted while the transport's loop sleeps.
package struct IdleContender: Sendable {
    /// The name, which is also the name of a line in a table.
    package let name: String
    private let makeTransport: @Sendable () -> any SynchronousTransport

    /// The contenders to measure.
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

    /// An error whose action sends the time at which it runs to the caller.
    private struct Ping: Error {
        let answer: CheckedContinuation<ContinuousClock.Instant, Never>

        func hasArrived() { answer.resume(returning: .now) }
    }

    /// Measures 400 times with a new transport and returns the median.
    ///
    /// - Returns: The nanoseconds from a post until its action runs. The median is used because interruptions would
    ///   distort a mean.
    @concurrent
    package func sample() async -> Double {
        let transport = makeTransport()
        let loop = Task.detached { await transport.run() }
        var latencies: [Duration] = []
        for _ in 0..<400 {
            // Sleep long enough for the loop to become idle.
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
