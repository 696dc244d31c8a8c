import Dispatch
import ErrorRecording
import ErrorReplay
import ErrorRouting
import Foundation

/// A service with an error bus that stops within five seconds after SIGTERM or Ctrl-C, even if an action hangs.
///
/// `--record FILE` also records its errors; `replay FILE` shows which errors other rules would handle differently.
@main
struct ExampleService {
    struct OrderRejected: Error, Codable { let number: Int }
    struct PagerDown: Error, Codable {}

    static let rules = ErrorHandler.standardError.overlaid(
        with: ErrorHandler()
            .on(OrderRejected.self) { error, report in
                say("order \(error.number) was rejected, posted at \(report.source)")
                return .stop
            }
            .on(PagerDown.self) { _ in
                try await Task.sleep(for: .seconds(3_600))  // simulates an action that hangs
                return .stop
            })

    /// A possible change of the rules: rejected orders are ignored.
    static let changedRules = rules.overlaid(with: ErrorHandler().ignore(OrderRejected.self))

    /// The error types whose values are recorded, so that a replay can rebuild the errors.
    static let rebuilding = RebuildableErrors().adding(OrderRejected.self).adding(PagerDown.self)

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case nil: await run(recordingTo: nil)
        case "--record" where arguments.count == 2:
            await run(recordingTo: try ErrorRecorder(path: arguments.last ?? "", rebuilding: rebuilding))
        case "replay": await replay(Array(arguments.dropFirst()))
        default:
            say("usage: example-service [--record FILE | replay [--changed] FILE...]")
            exit(64)
        }
    }

    static func run(recordingTo recorder: ErrorRecorder?) async -> Never {
        let (terminated, sources) = terminationSignals()
        let bus = ErrorBus(handler: rules)
        bus.becomeRoot()  // for code in threads and callbacks, which doesn't belong to a task
        if let recorder { bus.observeUntilEnd { recorder.record($0) } }
        let running = Task { await bus.run() }
        let serving = bus.task { try await serve(errors: bus) }
        for await _ in terminated {}
        for source in sources { source.cancel() }
        let deadline = ContinuousClock.now + .seconds(5)
        serving.cancel()
        await bus.cancelTasks(after: .seconds(2), waitingUpTo: .seconds(1))  // posts each task that it cuts off
        let left = await bus.shutdown(within: deadline - .now)
        for report in left {
            say("not delivered: \(report.message)")
            recorder?.record(report)
        }
        await running.value
        _ = await recorder?.close(within: .seconds(1))
        say("stopped: \(bus.statistics)")
        exit(left.isEmpty ? 0 : 1)
    }

    static func serve(errors: any ErrorPosting) async throws {
        errors.post(OrderRejected(number: 17))
        say("serving")
        try? await Task.sleep(for: .seconds(3_600))  // until the task is cancelled
        errors.post(PagerDown())
        errors.post(OrderRejected(number: 18))
    }

    /// Compares the program's rules, or the changed rules, with the recorded outcomes, and exits the process.
    static func replay(_ arguments: [String]) async -> Never {
        await Replay.main(
            rules: arguments.contains("--changed") ? changedRules : rules, rebuilding: rebuilding,
            arguments: arguments.filter { $0 != "--changed" })
    }

    /// Returns a stream that finishes on SIGTERM or Ctrl-C, and the signal sources, which the caller must retain.
    static func terminationSignals() -> (AsyncStream<Void>, [any DispatchSourceSignal]) {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.finish() }
            source.activate()
            return source
        }
        return (stream, sources)
    }

    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
