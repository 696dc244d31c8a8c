// swift-tools-version: 6.2
import PackageDescription

// Stands in for the package of this name, which isn't a dependency, because it needs swift-protobuf.
let package = Package(
    name: "grpc-swift-extras",
    platforms: [.macOS(.v15)],
    products: [.library(name: "GRPCServiceLifecycle", targets: ["GRPCServiceLifecycle"])],
    dependencies: [
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "GRPCServiceLifecycle",
            dependencies: [
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ])
    ]
)
