import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("A posting keeps what its poster handed over, and fits a cache line")
struct PostingTests {}

extension PostingTests {
    @Test("with its slot's state it fills one cache line of 64 bytes")
    func size() {
        expect(MemoryLayout<Posting>.size, equals: 56)
    }

    @Test("scope, promise and flood stamp are found again, alone and together", arguments: 0..<8)
    func parts(_ combination: Int) {
        let scope =
            combination & 1 == 0
            ? nil
            : ScopeContext("scope", in: nil, root: nil, rules: RuleSet(), order: .innermostFirst, metadata: [:])
        let promise = combination & 2 == 0 ? nil : Promise<HandleOutcome>()
        let stamp =
            combination & 4 == 0 ? nil : Posting.FloodStamp(code: ErrorCode(of: Numbered(7)), moment: 7)
        let posting = Posting(Numbered(7), at: .init(), scope: scope, promise: promise, floodStamp: stamp)
        #expect(posting.scope === scope)
        #expect(posting.promise === promise)
        #expect(posting.floodStamp?.code == stamp?.code && posting.floodStamp?.moment == stamp?.moment)
    }

    @Test("the moment of a report is the continuous clock's own, to the nanosecond")
    func moment() {
        for _ in 0..<1_000 {
            let before = ContinuousClock.now
            let moment = ErrorReport.Moment()
            let after = ContinuousClock.now
            #expect(before <= moment.instant && moment.instant <= after)
            expect(ErrorReport.Moment(moment.instant), equals: moment)
        }
    }

    @Test(
        "a report keeps the instant it was given",
        arguments: [.zero, .nanoseconds(1), .seconds(-86_400), .seconds(100 * 365 * 86_400)] as [Duration]
    )
    func instants(offset: Duration) {
        let instant = ContinuousClock.now.advanced(by: offset)
        expect(ErrorReport(error: Numbered(1), source: .init(), instant: instant).instant, equals: instant)
    }
}
