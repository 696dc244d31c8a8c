// swift-tools-version: 6.2
import PackageDescription

// Compiles `ErrorRouting` once more from the same files (`Library` is a link to their folder), but against types that
// shadow those of Synchronization. One file is left out: the shim has its own `WakeUps`, which needs no task.
let package = Package(
    name: "error-bus-interleavings",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "interleavings", targets: ["ErrorRouting"])],
    targets: [
        .target(name: "BoundedDescriptions"),
        .target(name: "StandardErrorWriter"),
        // Coroutines, and what a process has to do for its addresses to be the same each time.
        .target(name: "Strands"),
        // The explorer, which knows nothing of error buses.
        .target(name: "Exploration", dependencies: ["Strands"]),
        .executableTarget(
            name: "ErrorRouting",
            dependencies: ["BoundedDescriptions", "Exploration", "StandardErrorWriter", "Strands"],
            exclude: ["Library/ErrorRouting.docc", "Library/Bus/Worker/WakeUps.swift"],
            swiftSettings: [
                // Invariants that are asserted count in each schedule.
                .unsafeFlags(["-assert-config", "Debug"])
            ]
        ),
        .testTarget(name: "ExplorationTests", dependencies: ["Exploration"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "Strands" {
    var settings = target.swiftSettings ?? []

    // As in the root package, since its files are compiled here.
    for feature in [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
        "InferIsolatedConformances", "ImmutableWeakCaptures",
    ] { settings.append(.enableUpcomingFeature(feature)) }
    settings.append(.strictMemorySafety())

    // All virtual threads run in one thread of the system, where the runtime would take an access that another one has
    // under way for a second access of the same thread.
    settings.append(.unsafeFlags(["-enforce-exclusivity=unchecked"]))

    target.swiftSettings = settings
}
