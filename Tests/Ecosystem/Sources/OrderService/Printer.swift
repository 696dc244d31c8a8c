import ServiceLifecycle

/// The label printer.
///
/// If the printer fails, the service exits.
struct Printer: Service {
    private let jams: AsyncStream<LabelJam>
    private let continuation: AsyncStream<LabelJam>.Continuation

    init() {
        (jams, continuation) = AsyncStream.makeStream()
    }

    func fail() { continuation.yield(LabelJam(order: "all")) }

    func run() async throws {
        for await jam in jams.cancelOnGracefulShutdown() { throw jam }
    }
}
