// swift-tools-version: 6.2
import PackageDescription

// Compiles `ErrorRouting` a second time from the same files (`Library` links to their folder), but with types that
// shadow those of Synchronization. One file is excluded, because the shim has its own `WakeUps`, which needs no task.
let package = Package(
    name: "error-bus-interleavings",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "interleavings", targets: ["ErrorRouting"])],
    targets: [
        .target(name: "BoundedDescriptions"),
        .target(name: "StandardErrorWriter"),
        // Coroutines, and the setup that gives a process the same addresses in every run.
        .target(name: "Strands"),
        // The explorer, which is independent of error buses.
        .target(name: "Exploration", dependencies: ["Strands"]),
        .executableTarget(
            name: "ErrorRouting",
            dependencies: ["BoundedDescriptions", "Exploration", "StandardErrorWriter", "Strands"],
            exclude: ["Library/ErrorRouting.docc", "Library/Bus/Worker/WakeUps.swift"],
            swiftSettings: [
                // Enable assertions, so that each schedule checks them.
                .unsafeFlags(["-assert-config", "Debug"])
            ]
        ),
        .testTarget(name: "ExplorationTests", dependencies: ["Exploration"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "Strands" {
    var settings = target.swiftSettings ?? []

    // Use the root package's settings, because its files are compiled here.
    for feature in [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
        "InferIsolatedConformances", "ImmutableWeakCaptures",
    ] { settings.append(.enableUpcomingFeature(feature)) }
    settings.append(.strictMemorySafety())

    // Disable the runtime check: all virtual threads run in one system thread, so the runtime would report an access of
    // one virtual thread as overlapping another's.
    settings.append(.unsafeFlags(["-enforce-exclusivity=unchecked"]))

    target.swiftSettings = settings
}
