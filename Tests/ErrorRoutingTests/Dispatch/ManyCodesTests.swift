import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("The rules for one domain's codes are indexed in a time in proportion to their number", .hangLimit)
struct ManyCodesTests {
    /// The processor time of this thread, so that tests which run at the same time do not count.
    private static func processorTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The time of a handler's second use, at which it makes its index and its plan.
    private static func timeToIndex(codes: Int, _ error: any Error) -> Duration {
        let handler = (0..<codes).reduce(ErrorHandler().on(domain: "many") { _ in .next }) { handler, code in
            handler.on(domain: "many", code: code) { _ in .next }
        }
        #expect(handler.handleSynchronously(error)?.matchedRuleCount == 2)
        let start = processorTime()
        #expect(handler.handleSynchronously(error)?.matchedRuleCount == 2)
        return processorTime() - start
    }

    private struct Coded: CustomNSError {
        static let errorDomain = "many"
        let errorCode = 7
    }

    @Test("eight times as many codes take no more than twenty times as long", arguments: [true, false])
    func proportion(isObject: Bool) {
        let error: any Error = isObject ? NSError(domain: "many", code: 7) : Coded()
        // The fastest of three, since an interrupted one takes longer.
        func fastest(_ codes: Int) -> Duration {
            (0..<3).map { _ in Self.timeToIndex(codes: codes, error) }.min() ?? .zero
        }
        #expect(fastest(8_000) < fastest(1_000) * 20)
    }
}
