import ErrorRouting
import ErrorRoutingTesting
import Hummingbird
import HummingbirdTesting
import Testing

@Suite(.failsOnUnexpectedErrors)
struct AppTests {
    @Test func `an order that is not there is a 404, and reported`() async throws {
        try await expectingErrors(matching: .type(OrderMissing.self), count: 1) {
            try await buildApplication([:]).test(.router) { client in
                try await client.execute(uri: "/orders/7", method: .get) { #expect($0.status == .notFound) }
            }
        }
    }
}
