import Foundation
import ServiceLifecycle
import Synchronization

/// Exports the service's log, spans, and metrics.
///
/// It behaves like an exporter that sends over the network: it collects lines, sends them at intervals, and sends the
/// rest when it ends. Later lines are lost. Its collector is standard output.
final class Exporter: Service {
    private struct State {
        var lines: [Data] = []
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let metrics: MetricsRegistry

    init(_ metrics: MetricsRegistry) {
        self.metrics = metrics
    }

    /// Stores a line for the next batch.
    func export(_ line: Data) {
        state.withLock { if !$0.hasEnded { $0.lines.append(line) } }
    }

    /// Sends batches until the service shuts down, and then the last batch with the current metrics.
    func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            send()
            try? await Task.sleep(for: .milliseconds(50))
        }
        for line in metrics.text.split(separator: "\n") { export(Data("metric \(line)\n".utf8)) }
        send(isLast: true)
    }

    private func send(isLast: Bool = false) {
        let lines = state.withLock { state in
            state.hasEnded = isLast
            defer { state.lines = [] }
            return state.lines
        }
        if !lines.isEmpty { FileHandle.standardOutput.write(Data(lines.joined())) }
    }
}

/// An exporter that ends on its own.
enum EndedExporter: String, Service {
    struct Unreachable: Error {}

    case off
    case broken

    func run() async throws { if self == .broken { throw Unreachable() } }
}
