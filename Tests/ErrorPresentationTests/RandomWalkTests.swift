import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// `ERROR_BUS_LONG=1` makes the walk a hundred times as long.
@MainActor
@Suite(
    "P1 to P6: in any order of events, a loader and two presenters on one bus agree with plain models",
    .tags(.presentation1, .presentation2, .presentation3, .presentation4, .presentation5, .presentation6), .hangLimit)
struct RandomWalkTests {}

extension RandomWalkTests {
    @Test(
        "the objects agree with the models after each step of a random walk", .hangLimit(minutes: 60),
        arguments: 0..<(isLong ? 2_000 : 40) as Range<UInt64>)
    func walk(seed: UInt64) async {
        let handler = ErrorHandler().ignore(Plain(Walk.ignored))
        await withErrorBus(handler: handler) { bus in
            let walk = Walk(bus, seed: seed)
            for step in 0..<(isLong ? 200 : 100) {
                let what = await walk.step()
                guard await walk.agrees() else {
                    Issue.record("seed \(seed), step \(step): \(what)\n\(walk.difference)")
                    break
                }
            }
            await walk.end()
        }
    }
}
