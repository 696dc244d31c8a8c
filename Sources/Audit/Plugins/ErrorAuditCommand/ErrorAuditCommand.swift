import Foundation
import PackagePlugin

/// Runs `error-audit` in the package that depends on this package: `swift package error-audit --strict`.
@main
struct ErrorAuditCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try context.tool(named: "error-audit").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        // Report a failed audit as an error: a plugin can't choose the exit status of `swift package`.
        let status = process.terminationStatus
        if status != 0 { Diagnostics.error("error-audit exited with \(status)") }
    }
}
