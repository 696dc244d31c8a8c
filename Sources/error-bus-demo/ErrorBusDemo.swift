import BoundedDescriptions
import Dispatch
import ErrorRecording
import ErrorRouting
import Foundation

/// The main type: reads the arguments, runs the command, and turns its result into an exit status.
@main
enum ErrorBusDemo {
    /// Starts the program.
    ///
    /// Not asynchronous, because the runtime sets up tasks and threads before an asynchronous `main` begins; a signal
    /// during that time would kill the process.
    static func main() {
        let arguments = FilePath.arguments.map(\.text)
        // A command of the library's, which handles signals itself.
        if arguments.first == "replay" { ReplayCommand.main(Array(arguments.dropFirst())) }
        Interruption.begin()
        // Writing to a broken pipe must fail and not kill the process, or the temporary folder would not be removed.
        signal(SIGPIPE, SIG_IGN)
        let command = Task { try await run() }
        Interruption.watch {
            command.cancel()
        } onImpatience: {
            Terminal.restore()
            SampleInbox.removeAll()
        }
        Task {
            var status: ExitStatus
            do {
                status = try await command.value
            } catch {
                status = .ofErrors[error]
                Console.writeError("error-bus-demo: \(OneLine.escaped("\(error)"))")
                if status == .usage { Console.writeError(Options.usage) }
            }
            if let failure = Console.failure {
                let reason = OneLine.escaped(failure.localizedDescription)
                Console.writeError("error-bus-demo: cannot write to standard output: \(reason)")
                if status == .success { status = .outputError }
            }
            Interruption.end(with: status)
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

/// The exit status of the process, with the numbers of `sysexits.h`.
///
/// If a signal ended the program and nothing failed, `Interruption` exits with 128 plus the signal's number instead, as
/// shells do.
enum ExitStatus: Int32 {
    case success = 0
    case usage = 64
    case noInput = 66
    case software = 70
    case outputError = 74

    /// The status for each error that ends the program.
    ///
    /// The user corrects these errors, so they are not posted to a bus; an error map is enough.
    static let ofErrors = ErrorMap<ExitStatus>(default: .software)
        .on(UsageError.self, .usage)
        .on(UnreadableInbox.self, .noInput)
        .on(ErrorRecorder.CannotOpen.self, .outputError)
}
