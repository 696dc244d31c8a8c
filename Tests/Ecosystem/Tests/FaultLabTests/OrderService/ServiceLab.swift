import FaultServer
import Foundation
import Testing

extension FaultLab {
    /// Tests the order service from outside: it runs in its own process, with real packages and real traffic.
    @Suite("The order service keeps its promises with real packages and real traffic")
    enum ServiceLab {}
}

extension FaultLab.ServiceLab {
    /// The number of requests of a load.
    ///
    /// With `ERROR_BUS_LONG`, it is ten thousand, or the variable's value if that is more.
    static let requestCount: Int = {
        guard let long = ProcessInfo.processInfo.environment["ERROR_BUS_LONG"] else { return 1_000 }
        return Int(long).map { max($0, 10_000) } ?? 10_000
    }()

    /// The answers, by the IDs that the service gave the requests.
    struct Answered: Sendable {
        var answers: [String: Caller.Answer] = [:]
        var unanswered = 0
        var surprises: [String] = []
        /// The IDs of the requests that failed and that the service must report.
        private(set) var failures: Set<String> = []

        mutating func note(_ request: ServiceRequest, _ answer: Caller.Answer?) {
            guard let answer else {
                unanswered += 1
                return
            }
            if answer.status != request.status {
                surprises.append("\(request.method) \(request.path): \(answer.status), not \(request.status)")
            }
            if answer.status >= 400, request.isReported { failures.insert(answer.id) }
            if answers.updateValue(answer, forKey: answer.id) != nil { surprises.append("\(answer.id) came twice") }
        }
    }

    /// Starts the service next to a supplier that behaves as each request's path specifies.
    static func withService<Value>(
        _ variables: [String: String] = [:],
        _ body: (ServiceProcess, Caller) async throws -> Value
    ) async throws -> Value {
        let folder = try TemporaryFolder()
        return try await FaultServer.withServer { server in
            try await ServiceProcess.withService(in: folder, supplier: server, variables, body)
        }
    }

    /// Checks the line with the bus's totals, which comes after the lines about errors, and returns the totals.
    ///
    /// The service's last metrics must agree with it.
    static func totals(of process: ServiceProcess) throws -> LogLine.Totals {
        let last = try #require(process.lines.last { $0.isError || $0.totals != nil })
        let totals = try #require(last.totals, "\(last.text)")
        #expect(totals.areConsistent && totals["pending"] == 0, "\(last.message)")
        let metrics = process.lines.compactMap(\.metric)
        for (name, count) in totals.counts where name != "posted" {
            #expect(metrics.first { $0.name == "errors.\(name)" }?.value == Double(count), "\(name)")
        }
        let delivered = metrics.filter { $0.name.hasPrefix("errors{") }.reduce(0) { $0 + $1.value }
        #expect(delivered == Double(totals["posted"] - totals["dropped"]))
        return totals
    }

    /// Checks that every failed request is in the log exactly once, at the level for its status.
    static func expectLoggedOnce(_ answered: Answered, in lines: [LogLine]) {
        let logged = Dictionary(grouping: lines.filter(\.isAnswered)) { $0.metadata["hb.request.id"] ?? "" }
        #expect(Set(logged.keys) == answered.failures)
        for (id, lines) in logged where lines.count != 1 { Issue.record("\(id): \(lines.map(\.text))") }
        for id in answered.failures {
            let (status, line) = (answered.answers[id]?.status ?? 0, logged[id]?.first)
            let isHandled = line?.metadata["error.disposition"] == "handled"
            #expect(line?.level == (status < 500 ? "info" : isHandled ? "notice" : "error"), "\(status) \(id)")
        }
    }
}

/// A folder that is removed when this object is deallocated.
final class TemporaryFolder: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "order-service-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }
}
