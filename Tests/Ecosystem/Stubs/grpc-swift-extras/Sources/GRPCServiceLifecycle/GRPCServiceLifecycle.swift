// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The conformance of grpc-swift-extras 2.2.0 that the page "In a service" uses.

public import GRPCCore
public import ServiceLifecycle

extension GRPCServer: @retroactive Service {
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await serve()
        } onGracefulShutdown: {
            self.beginGracefulShutdown()
        }
    }
}
