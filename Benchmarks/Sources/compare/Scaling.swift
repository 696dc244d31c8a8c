import Contenders
import ErrorRouting
import Foundation

/// Measures how dispatch throughput grows with the number of cores.
///
/// It compares one task per core with a single task, and that growth with the growth of a control that doesn't share
/// state.
struct Scaling {
    let name: String
    let cores: Int
    let handler: Spread
    let control: Spread
    /// The handler's growth divided by the control's.
    let relative: Spread

    private static let iterations = 400_000

    @concurrent
    static func measureAll(rounds: Int) async -> [Scaling] {
        [
            await measure("a type rule matches", Handlers.types(64), rounds: rounds) { Handlers.firstOfTypes },
            await measure("no rule matches", Handlers.types(64), rounds: rounds) { Unknown() },
            await measure("a value rule matches", Handlers.values(64), rounds: rounds) { Status.code(0) },
        ]
    }

    @concurrent
    private static func measure(
        _ name: String, _ shared: ErrorHandler, rounds: Int, error makeError: @escaping @Sendable () -> any Error
    ) async -> Scaling {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let dispatch: @Sendable () async -> Void = {
            // Create several errors in each task and use one from the middle, so that two tasks' errors aren't on the
            // same cache line. Then the tasks share only the handler.
            let errors = (0..<16).map { _ in makeError() }
            let error = errors[8]
            for _ in 0..<iterations { await shared.handle(error) }
        }
        let control: @Sendable () async -> Void = {
            let error = Handlers.firstOfTypes
            for _ in 0..<(iterations * 4) { readType(of: error) }
        }
        var handlerGrowth: [Double] = []
        var controlGrowth: [Double] = []
        for _ in 0..<rounds {
            handlerGrowth.append(await growth(of: dispatch, tasks: cores))
            controlGrowth.append(await growth(of: control, tasks: cores))
        }
        return Scaling(
            name: name,
            cores: cores,
            handler: Spread(handlerGrowth),
            control: Spread(controlGrowth),
            relative: Spread(zip(handlerGrowth, controlGrowth).map { $0 / $1 })
        )
    }

    /// Does the minimum work of any dispatch, which is reading the type and one call.
    @inline(never)
    private static func readType(of error: any Error) { consume(ObjectIdentifier(type(of: error))) }

    /// Returns how much more work several tasks do in the same time than one task.
    private static func growth(of work: @escaping @Sendable () async -> Void, tasks: Int) async -> Double {
        let clock = ContinuousClock()
        func time(_ count: Int) async -> Duration {
            await clock.measure {
                await withTaskGroup { group in
                    for _ in 0..<count { group.addTask { @concurrent in await work() } }
                }
            }
        }
        let alone = await time(1)
        return alone / (await time(tasks)) * Double(tasks)
    }
}
