import Foundation
import PackagePlugin

/// Runs the command for a package that depends on this one: `swift package error-report FILE … > page.html`.
@main struct ErrorReportCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = try context.tool(named: "error-report").url
        process.arguments = arguments
        // Forward messages as warnings: the package manager would write them to standard output, which contains the
        // page.
        let messages = Pipe()
        process.standardError = messages
        try process.run()
        let text = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        for line in text.split(separator: "\n") { Diagnostics.warning(String(line)) }
        guard process.terminationStatus == 0 else { exit(process.terminationStatus) }
    }
}
