import Dispatch
import ErrorRouting
import Foundation

/// The process: reads the arguments, runs the command, and turns what became of it into an exit status.
@main
enum ErrorBusDemo {
    /// Not asynchronous: before an asynchronous one begins, tasks and threads are set up, and a signal would kill.
    static func main() {
        Interruption.begin()
        // Writing to a pipe that nobody reads shall fail, not kill: the temporary folder would stay behind.
        signal(SIGPIPE, SIG_IGN)
        let command = Task { try await run() }
        Interruption.watch {
            command.cancel()
        } onImpatience: {
            Terminal.restore()
            SampleInbox.removeAll()
        }
        Task {
            do {
                Interruption.end(with: try await command.value)
            } catch {
                let status = ExitStatus.ofErrors[error]
                Console.writeError("error-bus-demo: \(OneLine.escaped("\(error)"))")
                if status == .usage { Console.writeError(Options.usage) }
                Interruption.end(with: status)
            }
        }
        dispatchMain()
    }

    @concurrent
    private static func run() async throws -> ExitStatus {
        let options = try Options(arguments: FilePath.arguments)
        switch options.command {
        case .help:
            Console.write(Options.help)
            return .success
        case .explain:
            return try await ExplainCommand(options: options).run()
        case .interactive:
            return try await InteractiveCommand(options: options).run()
        case .intake:
            return try await IntakeCommand(options: options).run()
        }
    }
}

/// What the process returns to whoever started it: the numbers of `sysexits.h`.
///
/// Where a signal ended it, and all is well, `Interruption` ends the process instead: 128 and the signal's number, as shells do.
enum ExitStatus: Int32 {
    case success = 0
    case usage = 64
    case noInput = 66
    case software = 70

    /// The status for each of the errors that end the program.
    ///
    /// They are the caller's to correct, and no business of the bus; a map is all that they need.
    static let ofErrors = ErrorMap<ExitStatus>(default: .software)
        .on(UsageError.self, .usage)
        .on(UnreadableInbox.self, .noInput)
}
