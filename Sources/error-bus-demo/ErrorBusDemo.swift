import ErrorRecording
import ErrorRouting
import Foundation

/// Runs the sections of the demo, and records every error that a bus delivers.
@main
enum ErrorBusDemo {
    static func main() async {
        do {
            switch try Options(arguments: CommandLine.arguments.dropFirst()) {
            case .help: print(Options.helpText)
            case .run(let sections): try await run(sections)
            }
        } catch {  // error-audit: harmless, because it is printed, and the exit status depends on it
            FileHandle.standardError.write(Data("error-bus-demo: \(error)\n".utf8))
            exit(exitStatuses[error])
        }
    }

    /// The exit status for each error that ends the program, with the values of `sysexits.h`.
    static let exitStatuses = ErrorMap<Int32>(default: 70)
        .on(UsageError.self, 64)
        .on(ErrorRecorder.CannotOpen.self, 74)

    private static func run(_ sections: [Section]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "error-bus-demo-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "errors.jsonl").path
        let recorder = try ErrorRecorder(path: path)
        let screen = Screen.standardOutput
        for section in sections {
            screen.begin(section)
            await section.run(on: screen, recordingTo: recorder)
        }
        let recorded = await recorder.close(within: .seconds(5))
        print("\n\(recorded.written) reports are in \(path): swift run error-report \(path) > page.html")
    }
}
