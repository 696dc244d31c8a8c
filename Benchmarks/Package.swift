// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "error-bus-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-error-bus", path: ".."),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        // Disable the traits, because the package's malloc counts need jemalloc. The script check-allocations.sh counts
        // allocations instead.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        // The measured code, which the executables below share.
        .target(
            name: "Contenders",
            dependencies: [
                .product(name: "ErrorRecording", package: "swift-error-bus"),
                .product(name: "ErrorReplay", package: "swift-error-bus"),
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
            ]
        ),
        // `swift run -c release compare`: the tables, ratios taken in one run, and the charts in Results/.
        .executableTarget(
            name: "compare",
            dependencies: [
                "Contenders",
                .product(name: "ErrorRecovery", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
            ]
        ),
        // Runs retries and a closed circuit a given number of times, for check-allocations.sh.
        .executableTarget(
            name: "recovery-allocations",
            dependencies: ["Contenders"]
        ),
        // Dispatches a given number of times, for check-allocations.sh.
        .executableTarget(
            name: "dispatch-allocations",
            dependencies: ["Contenders", .product(name: "ErrorRouting", package: "swift-error-bus")]
        ),
        // Posts a given number of times, for check-allocations.sh.
        .executableTarget(
            name: "post-allocations",
            dependencies: ["Contenders", .product(name: "ErrorRouting", package: "swift-error-bus")]
        ),
        // Runs one contender a given number of times, for check-instructions.sh.
        .executableTarget(
            name: "instructions",
            dependencies: ["Contenders"]
        ),
        // Posts millions of errors to a bus whose action is stuck, for check-memory.sh.
        .executableTarget(
            name: "post-memory",
            dependencies: ["Contenders", .product(name: "ErrorRouting", package: "swift-error-bus")]
        ),
        // Prints the costs of a recorder and a replay, for Results/recording.md.
        .executableTarget(
            name: "recording",
            dependencies: [
                "Contenders",
                .product(name: "ErrorRecording", package: "swift-error-bus"),
                .product(name: "ErrorReplay", package: "swift-error-bus"),
                .product(name: "ErrorRouting", package: "swift-error-bus"),
            ]
        ),
        // `swift package benchmark`
        .executableTarget(
            name: "Dispatching",
            dependencies: [
                "Contenders",
                .product(name: "ErrorRouting", package: "swift-error-bus"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/Dispatching",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    var settings = target.swiftSettings ?? []

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    settings.append(.enableUpcomingFeature("ExistentialAny"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))

    target.swiftSettings = settings
}
