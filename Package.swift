// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-error-bus",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ErrorRouting", targets: ["ErrorRouting"]),
        .library(name: "ErrorRecovery", targets: ["ErrorRecovery"]),
        .library(name: "HTTPErrors", targets: ["HTTPErrors"]),
        .library(name: "ErrorPresentation", targets: ["ErrorPresentation"]),
        .library(name: "ErrorRecording", targets: ["ErrorRecording"]),
        .library(name: "ErrorReplay", targets: ["ErrorReplay"]),
        .library(name: "ErrorRoutingTesting", targets: ["ErrorRoutingTesting"]),
        .executable(name: "error-report", targets: ["error-report"]),
        .plugin(name: "ErrorReportCommand", targets: ["ErrorReportCommand"]),
    ],
    targets: [
        .target(name: "BoundedDescriptions"),
        .target(name: "StandardErrorWriter"),
        .target(name: "ErrorRouting", dependencies: ["BoundedDescriptions", "StandardErrorWriter"]),
        .target(name: "CodedErrors", dependencies: ["ErrorRouting"]),
        .target(name: "ErrorRecovery", dependencies: ["BoundedDescriptions", "CodedErrors", "ErrorRouting"]),
        .target(name: "HTTPErrors", dependencies: ["CodedErrors", "ErrorRecovery", "ErrorRouting"]),
        .target(name: "ErrorPresentation", dependencies: ["BoundedDescriptions", "ErrorRouting"]),
        .target(
            name: "ErrorRecording",
            dependencies: ["BoundedDescriptions", "CodedErrors", "ErrorRouting", "StandardErrorWriter"]),
        .target(
            name: "ErrorReplay",
            dependencies: [
                "BoundedDescriptions", "CodedErrors", "ErrorRecording", "ErrorRouting", "StandardErrorWriter",
            ]),
        .target(name: "ErrorRoutingTesting", dependencies: ["ErrorRouting"]),
        .executableTarget(
            name: "error-bus-demo",
            dependencies: [
                "ErrorRecording", "ErrorRecovery", "ErrorRouting", "HTTPErrors",
            ]),
        .executableTarget(
            name: "error-report", dependencies: ["ErrorReplay"],
            // Compiled in: a resource bundle that is missing beside the binary stops a Linux process.
            resources: [
                .embedInCode("Page/page.css"), .embedInCode("Page/page.html"), .embedInCode("Page/page.js"),
            ]),
        .plugin(
            name: "ErrorReportCommand",
            capability: .command(
                intent: .custom(verb: "error-report", description: "Makes a page of the errors in recorded files.")),
            dependencies: ["error-report"], path: "Sources/ErrorReportCommand"),
        .executableTarget(name: "example-library", dependencies: ["ErrorRouting"]),
        .executableTarget(name: "example-preset", dependencies: ["ErrorRouting"]),
        .executableTarget(name: "example-service", dependencies: ["ErrorRecording", "ErrorReplay", "ErrorRouting"]),
        .target(name: "TestSupport", dependencies: ["ErrorRouting", "StandardErrorWriter"], path: "Tests/TestSupport"),
        .target(
            name: "RecordingSupport", dependencies: ["ErrorRecording", "ErrorRouting"], path: "Tests/RecordingSupport"),
        .testTarget(name: "BoundedDescriptionsTests", dependencies: ["BoundedDescriptions", "TestSupport"]),
        .testTarget(name: "StandardErrorWriterTests", dependencies: ["StandardErrorWriter", "TestSupport"]),
        .testTarget(
            name: "ErrorRoutingTests",
            dependencies: [
                "BoundedDescriptions", "ErrorRouting", "ErrorRoutingTesting", "StandardErrorWriter", "TestSupport",
            ]),
        .testTarget(
            name: "ErrorRoutingOracleTests", dependencies: ["ErrorRouting", "ErrorRoutingTesting", "TestSupport"]),
        .testTarget(
            name: "ErrorRecoveryTests",
            dependencies: ["ErrorRecovery", "ErrorRouting", "ErrorRoutingTesting", "TestSupport"]),
        .testTarget(
            name: "HTTPErrorsTests",
            dependencies: ["ErrorRecovery", "ErrorRouting", "ErrorRoutingTesting", "HTTPErrors", "TestSupport"]),
        .testTarget(
            name: "ErrorPresentationTests",
            dependencies: ["ErrorPresentation", "ErrorRouting", "ErrorRoutingTesting", "TestSupport"]),
        .testTarget(
            name: "ErrorRecordingTests",
            dependencies: [
                "ErrorRecording", "ErrorRouting", "ErrorRoutingTesting", "RecordingSupport", "StandardErrorWriter",
                "TestSupport",
            ]),
        .testTarget(
            name: "ErrorReplayTests",
            dependencies: [
                "ErrorRecording", "ErrorReplay", "ErrorRouting", "ErrorRoutingTesting", "RecordingSupport",
                "TestSupport",
            ]),
        .testTarget(name: "error-reportTests", dependencies: ["ErrorReplay", "TestSupport", "error-report"]),
        .testTarget(
            name: "ErrorRoutingTestingTests", dependencies: ["ErrorRouting", "ErrorRoutingTesting", "TestSupport"]),
        .testTarget(
            name: "CombinationTests",
            dependencies: [
                "ErrorPresentation", "ErrorRecording", "ErrorRecovery", "ErrorReplay", "ErrorRouting",
                "ErrorRoutingTesting", "HTTPErrors", "TestSupport",
            ]),
        .testTarget(name: "error-bus-demoTests", dependencies: ["TestSupport", "error-bus-demo"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .plugin {
    var settings = target.swiftSettings ?? []

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    // `any` in front of every protocol used as a type.
    settings.append(.enableUpcomingFeature("ExistentialAny"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    // Imports are internal unless they say otherwise.
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    // Members are visible only from modules that the file imports.
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
    // Every unsafe construct is marked `unsafe`.
    settings.append(.strictMemorySafety())

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    // An async function runs where its caller runs: this is what keeps an actor's isolation through `handle`,
    // `catching` and `withErrorBus`.
    settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
    // Conformances of isolated types are isolated as their types are.
    settings.append(.enableUpcomingFeature("InferIsolatedConformances"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
    // Weak captures are immutable.
    settings.append(.enableUpcomingFeature("ImmutableWeakCaptures"))

    target.swiftSettings = settings
}
