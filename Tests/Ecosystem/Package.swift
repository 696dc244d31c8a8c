// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ecosystem",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-error-bus", path: "../.."),
        .package(name: "swift-error-bus-adapters", path: "../../Sources/Adapters", traits: ["GRPC"]),
        .package(path: "Stubs/grpc-swift-extras"),
        .package(path: "Stubs/swift-openapi-runtime"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-service-context", from: "1.5.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // A server that misbehaves as the URL specifies, and counts the requests that it receives.
        .target(
            name: "FaultServer",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        // A service with the adapters, written as for production.
        .executableTarget(
            name: "OrderService",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRoutingAsyncHTTPClient", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRecording", package: "swift-error-bus"),
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingGRPC", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRoutingHummingbird", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRoutingLifecycle", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRoutingLogging", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRoutingMetrics", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRoutingTracing", package: "swift-error-bus-adapters"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceContextModule", package: "swift-service-context"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // The program on the page "In a service".
        .executableTarget(
            name: "PageService",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingHummingbird", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRoutingLifecycle", package: "swift-error-bus-adapters"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // The gRPC program on the page "In a service".
        .executableTarget(
            name: "PageCalls",
            dependencies: [
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingGRPC", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRoutingLifecycle", package: "swift-error-bus-adapters"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "GRPCServiceLifecycle", package: "grpc-swift-extras"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // A service that ends in each situation in the table on the page about shutdowns.
        .executableTarget(
            name: "EndingService",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingHummingbird", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRoutingLifecycle", package: "swift-error-bus-adapters"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // A program with its own services, before and after it adopted the bus.
        .executableTarget(
            name: "TodosBefore",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "Todos",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingHummingbird", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRoutingLifecycle", package: "swift-error-bus-adapters"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // The code of the page "With OpenAPI".
        .target(
            name: "OpenAPISamples",
            dependencies: [
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
            ]
        ),
        // The code of the page "Errors of other libraries", for the libraries that are dependencies.
        .target(
            name: "LibrarySamples",
            dependencies: [
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "PageSampleTests",
            dependencies: [
                "LibrarySamples",
                "OpenAPISamples",
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // Tests of each transport, such as the table of situations, and of the services.
        .testTarget(
            name: "FaultLabTests",
            dependencies: [
                "FaultServer",
                "Todos",
                "TodosBefore",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRoutingAsyncHTTPClient", package: "swift-error-bus-adapters"),
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Situations.md"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The code of pages is compiled without upcoming features, as in a new package.
for target in package.targets where !target.name.hasSuffix("Samples") {
    var settings = target.swiftSettings ?? []

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    settings.append(.enableUpcomingFeature("ExistentialAny"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    // Leave it off where Hummingbird's protocols are conformed to: Hummingbird's functions and closures don't use it.
    if target.type != .executable { settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault")) }

    target.swiftSettings = settings
}
