// swift-tools-version: 6.2
import PackageDescription

// Stands in for the package of this name, which isn't a dependency. It is a separate package, because a conformance in
// the package that declares a type isn't retroactive.
let package = Package(
    name: "swift-openapi-runtime",
    platforms: [.macOS(.v15)],
    products: [.library(name: "OpenAPIRuntime", targets: ["OpenAPIRuntime"])],
    dependencies: [.package(url: "https://github.com/apple/swift-http-types", from: "1.8.0")],
    targets: [
        .target(name: "OpenAPIRuntime", dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")])
    ]
)
