import Dispatch
import ErrorRouting
import Foundation

/// A service with an error bus, which stops within five seconds after SIGTERM, even if an action hangs.
@main
struct ExampleService {
    struct OrderRejected: Error { let number: Int }
    struct PagerDown: Error {}

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

    static func main() async {
        let (terminated, source) = terminationSignal()
        let bus = ErrorBus(handler: rules)
        bus.becomeRoot()  // for code in threads and callbacks, which has no task
        let running = Task { await bus.run() }
        bus.task { try await serve(errors: bus) }
        for await _ in terminated {}
        source.cancel()
        let deadline = ContinuousClock.now + .seconds(5)
        await bus.endTasks(within: .zero, grace: .seconds(3))  // cancels `serve`
        let left = await bus.shutdown(within: deadline - .now)
        for report in left { say("not delivered: \(report.message)") }
        await running.value
        say("stopped: \(bus.statistics)")
        exit(left.isEmpty ? 0 : 1)
    }

    static func serve(errors: any ErrorPosting) async throws {
        errors.post(OrderRejected(number: 17))
        say("serving")
        try? await Task.sleep(for: .seconds(3_600))  // until it is cancelled
        errors.post(PagerDown())
        errors.post(OrderRejected(number: 18))
    }

    /// Returns a stream that finishes on SIGTERM, and the signal's source, which the caller has to retain.
    static func terminationSignal() -> (AsyncStream<Void>, any DispatchSourceSignal) {
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        source.setEventHandler { continuation.finish() }
        source.activate()
        return (stream, source)
    }

    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
