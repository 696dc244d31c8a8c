import ErrorRecording
import ErrorRouting

/// Stops a bus in time although an action hangs, and shows the reports that weren't delivered.
enum TheEnd {
    struct PagerDown: Error {}

    static func run(on screen: Screen, recordingTo recorder: ErrorRecorder) async {
        let hanging = ErrorHandler().on(PagerDown.self) { _ in
            try await Task.sleep(for: .seconds(3_600))  // simulates an action that hangs
            return .stop
        }
        let bus = ErrorBus(handler: .default.overlaid(with: hanging))
        bus.observeUntilEnd { recorder.record($0) }
        async let running: Void = bus.run()
        bus.post(PaymentError.declined(code: 5))
        bus.post(PagerDown())
        bus.post(StockError.locked)
        let begin = ContinuousClock.now
        let left = await bus.shutdown(within: .milliseconds(200))
        screen.line("shutdown(within: 0.2 s) returned after \(ContinuousClock.now - begin), and gave back:")
        for report in left {
            screen.line("not delivered: \(report)")
            recorder.record(report)
        }
        await running
        screen.line("\(bus.statistics)")
    }
}
