import ErrorRouting
import Testing

@Suite("Statistics as a list")
struct StatisticsCountsTests {
    @Test func `each end has its own count, in the order of the law, and together they are what was posted`() {
        let statistics = ErrorBus.Statistics(
            posted: 21, handled: 1, ignored: 2, unmatched: 3, suppressed: 4, dropped: 5, pending: 6)
        #expect(statistics.counts.map(\.key) == HandleOutcome.Disposition.allCases)
        #expect(statistics.counts.map(\.value) == [1, 2, 3, 4, 5, 6])
        #expect(statistics.counts.reduce(0) { $0 + $1.value } == statistics.posted && statistics.isBalanced)
    }
}
