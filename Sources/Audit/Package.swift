// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-error-bus-audit",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "error-audit", targets: ["error-audit"]),
        .plugin(name: "ErrorAuditCommand", targets: ["ErrorAuditCommand"]),
    ],
    dependencies: [
        // The tests compile the output of `--fix`. If this package moves, only this line must change.
        .package(name: "swift-error-bus", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        .target(
            name: "ErrorAudit",
            dependencies: [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]),
        .executableTarget(
            name: "error-audit",
            dependencies: ["ErrorAudit", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .plugin(
            name: "ErrorAuditCommand",
            capability: .command(
                intent: .custom(verb: "error-audit", description: "Lists where the package's code loses its errors")),
            dependencies: ["error-audit"]),
        .testTarget(
            name: "ErrorAuditTests",
            dependencies: ["ErrorAudit", .product(name: "ErrorRouting", package: "swift-error-bus")],
            exclude: ["Cases"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .plugin {
    var settings = target.swiftSettings ?? []
    // These settings are copied from the root manifest, which explains each of them.
    settings.append(.enableUpcomingFeature("ExistentialAny"))
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))
    settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
    settings.append(.enableUpcomingFeature("InferIsolatedConformances"))
    target.swiftSettings = settings
}
