import Contenders

/// What is measured at one point of a line.
struct Subject: Sendable {
    /// The line.
    let name: String
    /// The place on it: how many rules, or how many posters.
    let number: Int
    /// Measures once, in nanoseconds for one time.
    let sample: @Sendable () async -> Double

    init(_ contender: Contender) {
        name = contender.name
        number = contender.rules
        sample = {
            let duration = await ContinuousClock().measure { await contender.run(contender.iterations) }
            return duration / .nanoseconds(1) / Double(contender.iterations)
        }
    }

    init(_ contender: PostingContender) {
        name = contender.name
        number = contender.posters
        sample = { await contender.sample() }
    }

    init(_ contender: IdleContender) {
        name = contender.name
        number = 1
        sample = { await contender.sample() }
    }
}
