// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "layering",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "layering", targets: ["layering"])
    ],
    targets: [
        // The types of the index store's functions; the library that has them is the toolchain's, and loaded by name.
        .systemLibrary(name: "CIndexStore"),
        .target(name: "Layers", dependencies: ["CIndexStore"]),
        .executableTarget(name: "layering", dependencies: ["Layers"]),
        // Plants sources, lets the compiler index them, and runs the tool on that.
        .testTarget(name: "LayeringTests", dependencies: ["Layers", "layering"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    var settings = target.swiftSettings ?? []

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    settings.append(.enableUpcomingFeature("ExistentialAny"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))

    target.swiftSettings = settings
}
