import ErrorRoutingTesting

/// A clock that sleeps until a gate opens, cancelled or not; or that cannot sleep at all.
struct OddClock: Clock {
    let fails: Bool
    let gate = Gate()

    struct Broken: Error {}

    var now: TestClock.Instant { .init(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        if fails { throw Broken() }
        await gate.wait()
    }
}
