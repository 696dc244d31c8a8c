import FaultServer
import Foundation
import HTTPErrors
import Testing

extension FaultLab.ServiceLab {
    /// Tests what a caller and the log show of each kind of failure.
    @Suite("Each error is answered, logged, traced, and counted")
    struct AnswerTests {
        @Test func `the caller receives a problem or Hummingbird's own answer, and neither has internal details`()
            async throws
        {
            try await withService { process, caller in
                _ = try await caller.send(.order)
                var answered = Answered()
                for request in ServiceRequest.failures + ServiceRequest.successes {
                    let answer = try await caller.send(request)
                    answered.note(request, answer)
                    if request.status < 400 { continue }
                    let isProblem = answer.type == "application/problem+json"
                    #expect(isProblem != request.isOwn, "\(request.path): \(answer.text)")
                    if isProblem { #expect(answer.problem?.status == request.status, "\(request.path)") }
                    let secrets = ["printer", "Error", "SQL", "127.0.0.1", "Jam", "swift"]
                    #expect(secrets.allSatisfy { !answer.text.contains($0) }, "\(answer.text)")
                }
                #expect(answered.surprises.isEmpty, "\(answered.surprises)")
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                expectLoggedOnce(answered, in: process.lines)
                _ = try totals(of: process)
            }
        }

        @Test func `the log shows all details of an error in the caller's trace, and the span is marked`() async throws
        {
            let trace = "0af7651916cd43dd8448eb211c80319c"
            try await withService { process, caller in
                let headers = [("traceparent", "00-\(trace)-b7ad6b7169203331-01")]
                let answer = try await caller.send(.quote("malformed-json?secret=1", 502), headers: headers)
                #expect(answer.status == 502)
                let line = try await process.line("the error") { $0.isAnswered }
                #expect(line.source == "OrderService" && line.level == "notice" && line.label == "orders")
                #expect(line.metadata["hb.request.id"] == answer.id && line.metadata["trace.id"] == trace)
                #expect(line.metadata["span.id"]?.count == 16)
                #expect(line.location == "OrderService/GET /quotes/**:0")
                #expect(line.metadata["http.request.method"] == "GET" && line.metadata["http.route"] == "/quotes/**")
                #expect(line.metadata["error.scope"] == "GET /quotes/**" && line.metadata["error.time"] != nil)
                // The line doesn't contain the query, and contains each string once.
                #expect(line.metadata["url.path"] == "/quotes/malformed-json")
                #expect(line.metadata["exception.message"] == nil && !line.message.isEmpty)
                #expect(line.metadata["exception.type"] == "HTTPErrors.NetworkError")
                #expect(line.metadata["error.fingerprint"]?.hasPrefix("HTTPErrors.NetworkError.") == true)
                #expect(line.metadata["error.trail"]?.contains("Swift.DecodingError") == true, "\(line.text)")
                #expect(line.metadata["error.disposition"] == "handled")
                // The span was marked while it was open: a span is logged at its end, and only if it has an error.
                let span = try await process.line("the span") { $0.isRequestSpan }
                #expect(span.metadata["trace.id"] == trace && span.metadata["span.id"] == line.metadata["span.id"])
                #expect(span.metadata["errors"] == "NetworkError" && span.metadata["status"] == "error")
                #expect(span.message == "/quotes/**")
            }
        }

        @Test func `an attempt that a retry follows is logged too, in the scope of its request`() async throws {
            try await withService { process, caller in
                let answer = try await caller.send(.quote("status/503", 502))
                #expect(answer.status == 502)
                let first = try await process.line("the first attempt") { $0.metadata["retry.attempt"] == "1" }
                #expect(first.metadata["hb.request.id"] == answer.id && first.metadata["http.route"] == "/quotes/**")
                try await process.line("the second attempt") { $0.isAnswered }
            }
        }

        @Test func `Hummingbird's metrics count the status that the caller received, and a span fails from 500 on`()
            async throws
        {
            try await withService { process, caller in
                let requests = ServiceRequest.failures.filter { !$0.path.hasPrefix("/quotes/") }
                var answered = Answered()
                for request in requests { answered.note(request, try await caller.send(request)) }
                #expect(answered.surprises.isEmpty, "\(answered.surprises)")
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                let counts = process.lines.compactMap(\.metric).filter { $0.name.hasPrefix("hb.requests{") }
                for (status, requests) in Dictionary(grouping: requests, by: \.status) {
                    let counted = counts.filter { $0.name.contains(#"status_code="\#(status)""#) }
                    #expect(counted.reduce(0) { $0 + $1.value } == Double(requests.count), "\(status): \(counts)")
                }
                let spans = process.lines.filter(\.isRequestSpan)
                #expect(spans.count == answered.failures.count)
                #expect(spans.count { $0.metadata["status"] == "error" } == requests.count { $0.status >= 500 })
                let traces = Dictionary(grouping: spans) { $0.metadata["trace.id"] ?? "" }
                for line in process.lines.filter(\.isAnswered) {
                    let isFailed = answered.answers[line.metadata["hb.request.id"] ?? ""].map { $0.status >= 500 }
                    let span = traces[line.metadata["trace.id"] ?? ""]?.first
                    #expect(span?.metadata["status"] == (isFailed == true ? "error" : "unset"), "\(line.text)")
                }
            }
        }

        @Test func `a 500 response that a route returns fails the span, but isn't reported as an error`() async throws {
            try await withService { process, caller in
                let answer = try await caller.send(ServiceRequest(path: "/returns", status: 500))
                #expect(answer.status == 500)
                let span = try await process.line("the span") { $0.isRequestSpan }
                #expect(span.metadata["errors"] == "" && span.metadata["status"] == "error")
                process.send(SIGTERM)
                let end = try await process.end()
                #expect(end == .exit(0))
                let totals = try totals(of: process)
                #expect(totals["posted"] == 0)
            }
        }

        @Test func `metrics show errors by disposition, their age, and how many are pending`() async throws {
            try await withService { process, caller in
                for _ in 0..<3 { _ = try await caller.send(.label) }
                _ = try await caller.send(ServiceRequest(path: "/orders/7", status: 404))
                // A report is measured after its line is written and before the next report's line is written.
                _ = try await caller.send(ServiceRequest(path: "/orders/8", status: 404))
                try await process.line("the last") { $0.message.contains("number: 8") }
                let lines = try await caller.send(.metrics).text.split(separator: "\n")
                func count(_ disposition: String, _ type: String) -> String {
                    #"errors{disposition="\#(disposition)",role="failure",type="OrderService.\#(type)",cause="none"} "#
                }
                #expect(lines.contains { $0 == "\(count("unmatched", "LabelJam"))3.0" }, "\(lines)")
                #expect(lines.contains { $0.hasPrefix(count("handled", "OrderMissing")) }, "\(lines)")
                for name in ["dropped", "suppressed", "pending", "handled", "ignored", "unmatched"] {
                    #expect(lines.contains { $0.hasPrefix("errors.\(name) ") }, "\(name)")
                }
                let age = try #require(lines.first { $0.hasPrefix("errors.age.sum_ns ") }, "\(lines)")
                #expect(age.split(separator: " ").last.flatMap { Int($0) } ?? 0 > 0, "\(lines)")
            }
        }
    }
}
