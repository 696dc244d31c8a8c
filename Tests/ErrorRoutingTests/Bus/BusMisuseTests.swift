import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Arguments out of range crash the program with a message that names the value", .hangLimit)
struct BusMisuseTests {}

extension BusMisuseTests {
    private static let misuses: [Misuse] = [
        Misuse("capacity must be at least 1, not 0") {
            _ = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: 0))
        },
        Misuse("actionTimeLimit must not be negative, but is -1.0 seconds") {
            _ = ErrorBus(handler: ErrorHandler(), configuration: .init(actionTimeLimit: .seconds(-1)))
        },
        Misuse("drainTimeLimit must not be negative, but is -1.0 seconds") {
            _ = ErrorBus(handler: ErrorHandler(), configuration: .init(drainTimeLimit: .seconds(-1)))
        },
        Misuse("FloodLimit(first:per:): first must not be negative, but is -1") {
            _ = FloodLimit(first: -1, per: .seconds(1))
        },
        Misuse("FloodLimit(first:per:): the window must be positive, but is 0.0 seconds") {
            _ = FloodLimit(first: 1, per: .zero)
        },
        Misuse("FloodLimit(first:per:): the window must be positive, but is -0.001 seconds") {
            _ = FloodLimit(first: 1, per: .milliseconds(-1))
        },
        Misuse("reports(bufferingNewest:) must be at least 1, not -1") {
            _ = ErrorBus(handler: ErrorHandler()).reports(matching: .type(Numbered.self), bufferingNewest: -1)
        },
        Misuse("reports(bufferingNewest:) must be at least 1, not 0") {
            _ = ErrorBus(handler: ErrorHandler()).reports(bufferingNewest: 0)
        },
    ]

    @Test("each misuse crashes the program with a message that says why", .serialized, arguments: misuses.indices)
    func stops(index: Int) async throws {
        try handOver(index, as: "bus misuse")
        let message = Self.misuses[index].message
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent], "\(message)") {
            endIfItHangs()
            await Self.misuses[try handedOver("bus misuse")].act()
        }
        #expect(result.standardErrorText.contains(message))
    }
}
