// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-error-bus-adapters",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ErrorRoutingLogging", targets: ["ErrorRoutingLogging"]),
        .library(name: "ErrorRoutingMetrics", targets: ["ErrorRoutingMetrics"]),
        .library(name: "ErrorRoutingTracing", targets: ["ErrorRoutingTracing"]),
        .library(name: "ErrorRoutingLifecycle", targets: ["ErrorRoutingLifecycle"]),
        .library(name: "ErrorRoutingHummingbird", targets: ["ErrorRoutingHummingbird"]),
        .library(name: "ErrorRoutingGRPC", targets: ["ErrorRoutingGRPC"]),
        .library(name: "ErrorRoutingAsyncHTTPClient", targets: ["ErrorRoutingAsyncHTTPClient"]),
        .library(name: "ErrorRoutingSentry", targets: ["ErrorRoutingSentry"]),
        .library(name: "ErrorRoutingServer", targets: ["ErrorRoutingServer"]),
    ],
    // Packages that only a trait's product needs are resolved only for services that enable the trait.
    traits: [.trait(name: "GRPC", description: "Fills ErrorRoutingGRPC, for which grpc-swift-2 is resolved.")],
    dependencies: [
        // If this package moves elsewhere, change only this line, to the URL and version of swift-error-bus.
        .package(name: "swift-error-bus", path: "../.."),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.26.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.0.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.6.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
    ],
    targets: [
        .target(
            name: "ErrorRoutingLogging",
            dependencies: [
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "ErrorRoutingMetrics",
            dependencies: [
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "Metrics", package: "swift-metrics"),
            ]),
        .target(
            name: "ErrorRoutingTracing",
            dependencies: [
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        // This target doesn't need a product, because ErrorRoutingHummingbird and ErrorRoutingGRPC reexport it.
        .target(
            name: "ErrorRoutingUpstream",
            dependencies: [
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
            ]),
        .target(
            name: "ErrorRoutingLifecycle",
            dependencies: [
                "ErrorRoutingLogging",
                .product(name: "ErrorRecording", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "ErrorRoutingHummingbird",
            dependencies: [
                "ErrorRoutingAsyncHTTPClient",
                "ErrorRoutingLifecycle",
                "ErrorRoutingTracing",
                "ErrorRoutingUpstream",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "ErrorRoutingGRPC",
            dependencies: [
                "ErrorRoutingTracing",
                "ErrorRoutingUpstream",
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
            ]),
        // The transport for services. Its errors have the same kinds as those of `URLSession`.
        .target(
            name: "ErrorRoutingAsyncHTTPClient",
            dependencies: [
                "ErrorRoutingUpstream",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .target(
            name: "ErrorRoutingSentry",
            dependencies: [
                "ErrorRoutingAsyncHTTPClient",
                "ErrorRoutingLifecycle",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // Reexports the modules that almost every service needs; see the target's only file.
        .target(
            name: "ErrorRoutingServer",
            dependencies: [
                "ErrorRoutingLifecycle", "ErrorRoutingLogging", "ErrorRoutingMetrics", "ErrorRoutingTracing",
                .product(name: "ErrorRouting", package: "swift-error-bus"),
            ]),
        .target(
            name: "AdaptersTestSupport",
            dependencies: [
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Tests/AdaptersTestSupport"),
        .testTarget(
            name: "ErrorRoutingLoggingTests",
            dependencies: [
                "ErrorRoutingLogging",
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "AdaptersPageTests",
            dependencies: [
                "ErrorRoutingAsyncHTTPClient", "ErrorRoutingGRPC", "ErrorRoutingHummingbird", "ErrorRoutingLifecycle",
                "ErrorRoutingLogging", "ErrorRoutingMetrics", "ErrorRoutingSentry", "ErrorRoutingServer",
                "ErrorRoutingTracing",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingTesting", package: "swift-error-bus"),
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
                .product(name: "GRPCInProcessTransport", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "ErrorRoutingMetricsTests",
            dependencies: [
                "ErrorRoutingMetrics",
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]),
        .testTarget(
            name: "ErrorRoutingTracingTests",
            dependencies: [
                "ErrorRoutingTracing",
                "AdaptersTestSupport",
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .testTarget(
            name: "ErrorRoutingLifecycleTests",
            dependencies: [
                "ErrorRoutingLifecycle",
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingTesting", package: "swift-error-bus"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "ErrorRoutingSentryTests",
            dependencies: [
                "ErrorRoutingLifecycle",
                "ErrorRoutingSentry",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingTesting", package: "swift-error-bus"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "ErrorRoutingServerTests",
            dependencies: [
                "ErrorRoutingServer", "OpenAPIAsyncHTTPClient", "OpenAPIURLSession",
                "ErrorRoutingAsyncHTTPClient",
                .product(name: "HTTPErrors", package: "swift-error-bus"),
            ]),
        // Stand-ins for the official OpenAPI transports: they declare the same type names without adding dependencies.
        .target(name: "OpenAPIAsyncHTTPClient", path: "Tests/OpenAPIAsyncHTTPClient"),
        .target(name: "OpenAPIURLSession", path: "Tests/OpenAPIURLSession"),
        .testTarget(
            name: "ErrorRoutingHummingbirdTests",
            dependencies: [
                "ErrorRoutingAsyncHTTPClient",
                "ErrorRoutingHummingbird",
                "ErrorRoutingLifecycle",
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingTesting", package: "swift-error-bus"),
                .product(name: "HTTPErrors", package: "swift-error-bus"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdRouter", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "ErrorRoutingGRPCTests",
            dependencies: [
                "ErrorRoutingGRPC",
                "ErrorRoutingUpstream",
                "AdaptersTestSupport",
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "ErrorRoutingTesting", package: "swift-error-bus"),
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
                .product(name: "GRPCInProcessTransport", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    var settings = target.swiftSettings ?? []

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    settings.append(.enableUpcomingFeature("ExistentialAny"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
    settings.append(.strictMemorySafety())

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    // Enable it only for this target. In the other targets, types conform to protocols of packages that were written
    // without this feature.
    if target.name == "ErrorRoutingAsyncHTTPClient" {
        settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
    }

    target.swiftSettings = settings
}
