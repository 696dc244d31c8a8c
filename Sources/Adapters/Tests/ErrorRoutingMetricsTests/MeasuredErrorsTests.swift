import ErrorRouting
import ErrorRoutingMetrics
import Metrics
import MetricsTestKit
import Testing

@Suite("A measured bus")
struct MeasuredErrorsTests {
    private enum Sale: Error, UnderlyingErrors {
        case sold
        case failed(any Error)

        var underlyingErrors: [any Error] { if case .failed(let error) = self { [error] } else { [] } }
    }

    private struct Offline: Error {}

    private static let metrics: TestMetrics = {
        let metrics = TestMetrics()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }()

    @Test func `counts each kind of error, and records the outcomes of all at its end`() async throws {
        let metrics = Self.metrics
        await withErrorBus(handler: ErrorHandler().on(Sale.self) { _ in .stop }) { bus in
            bus.measureErrors()
            for _ in 0..<3 { bus.post(Sale.sold) }
            bus.post(Sale.failed(Offline()), as: .attempt)
        }
        func dimensions(
            _ role: String, _ kind: String, _ cause: String, _ disposition: String = "handled"
        ) -> [(String, String)] {
            let prefix = "ErrorRoutingMetricsTests.MeasuredErrorsTests."
            return [
                ("disposition", disposition), ("role", role), ("type", "\(prefix)Sale.\(kind)"),
                ("cause", cause == "none" ? cause : prefix + cause),
            ]
        }
        #expect(try metrics.expectCounter("errors", dimensions("failure", "sold", "none")).totalValue == 3)
        #expect(
            try metrics.expectCounter("errors", dimensions("attempt", "failed", "Offline", "ignored")).totalValue == 1)
        #expect(try metrics.expectTimer("errors.age").values.count == 4)
        #expect(try metrics.expectGauge("errors.handled").lastValue == 3)
        #expect(try metrics.expectGauge("errors.pending").lastValue == 0)
    }

    /// An error that fails the test if its text is read.
    private struct Silent: Error, CustomStringConvertible {
        var description: String { fatalError("asked for a description") }
    }

    @Test func `counting reads no text of an error or of its causes`() {
        let report = ErrorReport(error: Sale.failed(Silent()), source: .init())
        let dimensions = Dictionary(report.dimensions) { first, _ in first }
        #expect(dimensions["cause"] == "ErrorRoutingMetricsTests.MeasuredErrorsTests.Silent")
    }

    @Test func `an interval of zero is a programming error that names it`() async {
        await #expect(processExitsWith: .failure) {
            await withErrorBus(handler: ErrorHandler()) { $0.measureErrors(every: .zero) }
        }
    }
}
