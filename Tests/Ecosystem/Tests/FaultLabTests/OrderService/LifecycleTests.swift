import FaultServer
import Foundation
import Testing

extension FaultLab.ServiceLab {
    /// Tests services and tasks that end on their own, and those that don't end.
    @Suite("The service shuts down in order, even if a part ends early or never")
    struct LifecycleTests {
        private static let trace = "0af7651916cd43dd8448eb211c80319c"
        private static let headers = [("traceparent", "00-\(trace)-b7ad6b7169203331-01")]

        @Test(arguments: [1, 600])
        func `a bus task has some time after SIGTERM, is then cancelled, and its error is logged as cut off`(
            seconds: Int
        ) async throws {
            try await withService { process, caller in
                let request = ServiceRequest(method: "POST", path: "/labels/9?seconds=\(seconds)", status: 202)
                let answer = try await caller.send(request, headers: Self.headers)
                #expect(answer.status == 202)
                let begin = ContinuousClock.now
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                #expect(begin.duration(to: .now) < .seconds(60))
                let errors = process.lines.filter(\.isError)
                let type = seconds == 1 ? "OrderService.LabelJam" : "ErrorRouting.TaskCutOff"
                #expect(errors.map { $0.metadata["exception.type"] } == [type], "\(errors)")
                #expect(seconds == 1 || errors.first?.metadata["error.trail"]?.contains("LabelJam") == true)
                #expect(errors.first?.metadata["hb.request.id"] == answer.id)
                #expect(errors.first?.metadata["trace.id"] == Self.trace)
                let totals = try totals(of: process)
                #expect(totals["posted"] == 1 && totals["dropped"] == 0)
            }
        }

        @Test func `a task that ignores its cancellation doesn't delay the service's end`() async throws {
            try await withService { process, caller in
                let request = ServiceRequest(method: "POST", path: "/labels/9?seconds=600&busy=yes", status: 202)
                let answer = try await caller.send(request)
                #expect(answer.status == 202)
                let begin = ContinuousClock.now
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                #expect(begin.duration(to: .now) < .seconds(60))
                // The task is reported although it hasn't ended.
                let errors = process.lines.filter(\.isError)
                #expect(errors.map { $0.metadata["exception.type"] } == ["ErrorRouting.TaskCutOff"], "\(errors)")
                let totals = try totals(of: process)
                #expect(totals["posted"] == 1)
            }
        }

        @Test func `a service that fails shuts the others down in order, so that requests are answered`() async throws {
            try await withService { process, caller in
                async let pending = caller.send(.quote("hang?within=2000", 504))
                // One of the two requests is the request for the metrics.
                try await caller.waitUntilActive("GET", 2)
                let fire = try await caller.send(ServiceRequest(method: "DELETE", path: "/printer", status: 202))
                #expect(fire.status == 202)
                let answer = try await pending
                #expect(answer.status == 504)
                let end = try await process.end()
                #expect(end == .exit(EXIT_FAILURE))
                let jams = process.lines.filter { $0.metadata["exception.type"] == "OrderService.LabelJam" }
                #expect(jams.count == 1 && jams.first?.metadata["hb.request.id"] == nil, "\(jams)")
                _ = try totals(of: process)
            }
        }

        @Test(arguments: ["off", "broken"])
        func `an exporter that ends on its own ends nothing else, and a failed exporter is logged on standard error`(
            exporter: String
        ) async throws {
            try await withService(["OTHER_EXPORTER": exporter]) { process, caller in
                if exporter == "broken" {
                    try await process.line("its failure") { $0.label.isEmpty && $0.text.contains("Unreachable") }
                }
                let answer = try await caller.send(.label)
                #expect(answer.status == 500)
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                #expect(process.lines.count { $0.text.contains("Unreachable") } == (exporter == "broken" ? 1 : 0))
                let totals = try totals(of: process)
                #expect(totals["posted"] == 1)
            }
        }
    }
}
