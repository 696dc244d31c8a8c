import ServiceLifecycle

/// The label printer.
///
/// The service ends if it fails.
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
