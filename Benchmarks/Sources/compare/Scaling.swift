import Contenders
import ErrorRouting
import Foundation

/// How dispatch grows with the cores: as many tasks as cores against one, beside a control that shares nothing.
struct Scaling {
    let name: String
    let cores: Int
    let handler: Spread
    let control: Spread
    /// The handler's growth over the control's.
    let relative: Spread

    private static let iterations = 400_000

    @concurrent
    static func takeAll(rounds: Int) async -> [Scaling] {
        [
            await take("match by type", Handlers.types(64), rounds: rounds) { Handlers.firstOfTypes },
            await take("miss", Handlers.types(64), rounds: rounds) { Unknown() },
            await take("match by value", Handlers.values(64), rounds: rounds) { Status.code(0) },
        ]
    }

    @concurrent
    private static func take(
        _ name: String, _ shared: ErrorHandler, rounds: Int, error makeError: @escaping @Sendable () -> any Error
    ) async -> Scaling {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let dispatch: @Sendable () async -> Void = {
            // Each task has an error of its own, and amidst others of its own, so that no other task's is on the same
            // cache line; the handler is shared.
            let errors = (0..<16).map { _ in makeError() }
            let error = errors[8]
            for _ in 0..<iterations { await shared.handle(error) }
        }
        let control: @Sendable () async -> Void = {
            let error = Handlers.firstOfTypes
            for _ in 0..<(iterations * 4) { lookAt(error) }
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

    /// What a dispatch cannot do without: the type, and one call.
    @inline(never)
    private static func lookAt(_ error: any Error) { consume(ObjectIdentifier(type(of: error))) }

    /// How much more is done in the same time by several tasks than by one.
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
