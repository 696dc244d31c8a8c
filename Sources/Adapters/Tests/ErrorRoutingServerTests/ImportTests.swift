import ErrorRoutingAsyncHTTPClient
import ErrorRoutingServer
import HTTPErrors
import OpenAPIAsyncHTTPClient
import OpenAPIURLSession
import Testing

@Suite("A service needs one import, and no name is ambiguous", .timeLimit(.minutes(2)))
struct ImportTests {
    /// Each of these names would be ambiguous if two of the modules declared it.
    @Test func `a file can use the official OpenAPI transports and those of this library`() {
        let types: [Any.Type] = [
            AsyncHTTPClientTransport.self, URLSessionTransport.self,
            AsyncHTTPClientHTTPTransport.self, URLSessionHTTPTransport.self,
        ]
        #expect(Set(types.map { String(reflecting: $0) }).count == 4)
    }

    /// Uses one type or function of each module that is exported.
    @Test func `one import provides the bus, the log, metrics, traces, and the lifecycle`() {
        let types: [Any.Type] = [ErrorBus.self, ErrorLog.self, ErrorTracing.self, ErrorBusService.self]
        #expect(types.count == 4)
        let measure: (ErrorBus) -> Void = { $0.measureErrors(as: "server") }
        withExtendedLifetime(measure) {}
    }
}
