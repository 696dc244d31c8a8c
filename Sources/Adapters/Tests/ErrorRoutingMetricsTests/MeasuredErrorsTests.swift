import ErrorRouting
import ErrorRoutingMetrics
import Foundation
import Metrics
import MetricsTestKit
import Testing

@Suite("A measured bus counts errors and records their outcomes", .timeLimit(.minutes(2)))
struct MeasuredErrorsTests {
    private enum Sale: Error, UnderlyingErrorsProviding {
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

    @Test func `it counts each kind of error, and at its end it records the outcomes of all errors`() async throws {
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

    @Test func `it has its own metrics by its name, shares them with buses of the same name, and they are documented`()
        async throws
    {
        let metrics = Self.metrics
        let rules = ErrorHandler().on(Sale.self) { _ in .stop }
        for (name, count) in [("payments", 5), ("search", 3), ("shared", 1), ("shared", 2)] {
            await withErrorBus(handler: rules) { bus in
                bus.measureErrors(as: name, every: .seconds(Int64.max)) { _ in [("kind", name)] }
                for _ in 0..<count { bus.post(Sale.sold) }
            }
        }
        let rule = try #require(rules.explain(Sale.sold).rule).description
        for (name, count) in [("payments", 5), ("search", 3), ("shared", 3)] {
            let bus = [("bus", name)]
            #expect(try metrics.expectGauge("errors.rule", [("rule", rule)] + bus).lastValue == Double(count))
            #expect(try metrics.expectGauge("errors.handled", bus).lastValue == Double(count))
            #expect(try metrics.expectGauge("errors.pending", bus).lastValue == 0)
            #expect(try metrics.expectCounter("errors", [("kind", name)] + bus).totalValue == Int64(count))
            #expect(try metrics.expectTimer("errors.age", bus).values.count == count)
        }
        let isOfBus = { (dimensions: [(String, String)]) in dimensions.contains { $0 == ("bus", "payments") } }
        let emitted = [
            "counter": metrics.counters.filter { isOfBus($0.dimensions) }.map(\.label),
            "gauge": metrics.recorders.filter { isOfBus($0.dimensions) }.map(\.label),
            "timer": metrics.timers.filter { isOfBus($0.dimensions) }.map(\.label),
        ].mapValues(Set.init)
        let service = "../ErrorRouting/ErrorRouting.docc/InAService.md"
        for page in [service, "Sources/ErrorRoutingMetrics/ErrorBus+Metrics.swift"] {
            #expect(try Self.metrics(in: page) == emitted, "\(page)")
        }
    }

    /// Returns the metrics that a page's tables name, by kind.
    private static func metrics(in page: String) throws -> [String: Set<String>] {
        let folder = URL(filePath: #filePath).appending(path: "../../..").standardized
        let text = try String(contentsOf: folder.appending(path: page), encoding: .utf8)
        var found: [String: Set<String>] = [:]
        for row in text.matches(of: /\| (counter|gauge|timer)s? ([^|]+)\|/) {
            let names = row.2.matches(of: /`([\w.]+)`/).map { String($0.1) }
            found[String(row.1), default: []].formUnion(names)
        }
        return found
    }

    @Test func `two buses record at the same time, and the last value is the sum of both`() async throws {
        let metrics = Self.metrics
        let rules = ErrorHandler().on(Sale.self) { _ in .stop }
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    await withErrorBus(handler: rules) { bus in
                        bus.measureErrors(as: "parallel", every: .milliseconds(1)) { _ in [] }
                        for _ in 0..<500 { bus.post(Sale.sold) }
                    }
                }
            }
        }
        #expect(try metrics.expectGauge("errors.handled", [("bus", "parallel")]).lastValue == 2_000)
        #expect(try metrics.expectGauge("errors.pending", [("bus", "parallel")]).lastValue == 0)
    }

    @Test func `a bus that is discarded is released immediately, however long the interval is`() async throws {
        let metrics = Self.metrics
        let pending = { try? metrics.expectGauge("errors.pending", [("bus", "discarded")]).values }
        weak var discarded: ErrorBus?
        do {
            let bus = ErrorBus(handler: ErrorHandler())
            discarded = bus
            bus.measureErrors(as: "discarded", every: .seconds(Int64.max)) { _ in [] }
            // Wait for the first measurement, after which the timer sleeps.
            while pending()?.isEmpty ?? true, !Task.isCancelled { await Task.yield() }
        }
        while discarded != nil, !Task.isCancelled { await Task.yield() }
        #expect(discarded == nil && pending()?.last == 0)
    }

    /// An error that fails the test if one of its strings is read.
    private struct Silent: Error, CustomStringConvertible {
        var description: String { fatalError("asked for a description") }
    }

    @Test func `counting doesn't read any string of an error or its causes`() {
        let report = ErrorReport(error: Sale.failed(Silent()), source: .init())
        let dimensions = Dictionary(report.dimensions) { first, _ in first }
        #expect(dimensions["cause"] == "ErrorRoutingMetricsTests.MeasuredErrorsTests.Silent")
    }

    @Test func `an interval of zero is a programming error, and the message names it`() async {
        await #expect(processExitsWith: .failure) {
            await withErrorBus(handler: ErrorHandler()) { $0.measureErrors(every: .zero) }
        }
    }
}
