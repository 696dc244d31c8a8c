import ErrorRouting
import ErrorRoutingTesting
import Synchronization
import TestSupport

/// One run of a random program, with everything that left the program's bus.
final class ProgramRun: Sendable {
    /// A flush that succeeded: how much the poster had posted before, and how many reports had been observed by then.
    struct Flushed {
        let poster: Int
        let number: Int
        let observed: Int
    }

    let program: Program
    var bus: ErrorBus { ownBus.withLock { $0 } }
    private let ownBus: Locked<ErrorBus>
    let posted = Log<Posted>()
    let seen = Log<ErrorReport>()
    let lines = Log<ErrorReport>()
    let ends = Log<Counts>()
    let flushed = Log<Flushed>()
    /// The errors with the outcomes that `deliver` returned.
    let delivered = Log<(error: Posted, outcome: HandleOutcome)>()
    private let count = Atomic<Int>(0)
    private let isTimeToEnd = Gate()

    init(_ program: Program) {
        self.program = program
        // Errors from actions get additional poster numbers; a bus's actions run one after another.
        let (posted, actions) = (posted, program.posters.count)
        let handler = Program.rules { error in
            let another = Posted(poster: actions + error.poster, number: error.number, fate: .stops)
            posted.add(another)
            ErrorBus.current?.post(another)
        }
        let bus = ErrorBus(
            handler: handler,
            configuration: .init(
                capacity: program.capacity, actionTimeLimit: program.actionTimeLimit, floodLimit: program.floodLimit,
                lastResort: LastResort(reports: { [lines] report, _ in lines.add(report) })))
        bus.observeUntilEnd { [seen] in
            seen.add($0)
        } onEnd: { [ends] in
            ends.add(Counts($0))
        }
        ownBus = Locked(bus)
    }

    /// Runs the program.
    ///
    /// - Returns: What `shutdown` returned.
    func run() async -> [ErrorReport] {
        let early = program.runsEarly ? Task { await bus.run() } : nil
        let posters = program.posters.indices.map { poster in
            Task { @concurrent in await self.run(poster) }
        }
        if program.stepsBeforeEnd > 0 { await isTimeToEnd.wait() }
        let run = early ?? Task { await bus.run() }
        var left: [ErrorReport] = []
        switch program.end {
        case .finish: bus.finish()
        case .shutdownNow: left = await bus.shutdown(within: .zero)
        case .shutdownSoon: left = await bus.shutdown(within: .microseconds(300))
        case .cancelRun: run.cancel()
        }
        for poster in posters { await poster.value }
        await run.value
        // An action that a shutdown has cut off might still be ending.
        await eventually("only the run of program \(program.seed) retains its bus") {
            ownBus.withLock { isKnownUniquelyReferenced(&$0) }
        }
        return left
    }

    private func countStep() {
        if count.add(1, ordering: .relaxed).newValue >= program.stepsBeforeEnd { isTimeToEnd.open() }
    }

    private func run(_ poster: Int) async {
        let scope = bus.scope("poster", handler: ErrorHandler().always { _ in .next })
        var number = 0
        func next(_ fate: Posted.Fate) -> Posted {
            number += 1
            let error = Posted(poster: poster, number: number, fate: fate)
            posted.add(error)
            return error
        }
        for step in program.posters[poster] {
            switch step {
            case .post(let fate): bus.post(next(fate))
            case .postInScope(let fate): scope.post(next(fate))
            case .deliver(let fate) where program.runsEarly:
                let error = next(fate)
                await delivered.add((error, bus.deliver(error)))
            case .deliver(let fate): bus.post(next(fate))
            case .flush where program.runsEarly:
                if await bus.flush(within: .seconds(600)) {
                    flushed.add(Flushed(poster: poster, number: number, observed: seen.count))
                }
            case .flush: break
            case .yield: await Task.yield()
            }
            countStep()
        }
    }
}
