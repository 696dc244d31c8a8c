import Foundation
import PackagePlugin

/// Runs the command for a package that depends on this one: `swift package error-report FILE … > page.html`.
@main struct ErrorReportCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = try context.tool(named: "error-report").url
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { exit(process.terminationStatus) }
    }
}
