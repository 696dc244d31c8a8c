import ErrorRouting
import Foundation

/// The process: reads the arguments, runs the command, and turns what became of it into an exit status.
@main
enum ErrorBusDemo {
    static func main() async {
        // Writing to a pipe that nobody reads shall fail, not kill: the temporary folder would stay behind.
        signal(SIGPIPE, SIG_IGN)
        let arguments = CommandLine.arguments.dropFirst()
        // A task of its own, because Ctrl-C cancels it. The work in it is `@concurrent`: nothing is left on the main
        // actor but to wait.
        let command = Task { try await run(Array(arguments)) }
        let interruption = Interruption { command.cancel() }
        let status: ExitStatus
        do {
            status = try await command.value
        } catch {
            status = ExitStatus.ofErrors[error]
            Console.writeError("error-bus-demo: \(OneLine.escaped("\(error)"))")
            if status == .usage { Console.writeError(Options.usage) }
        }
        withExtendedLifetime(interruption) {}
        exit(status.rawValue)
    }

    @concurrent
    private static func run(_ arguments: [String]) async throws -> ExitStatus {
        let options = try Options(arguments: arguments)
        switch options.command {
        case .help:
            Console.write(Options.help)
            return .success
        case .explain:
            return try await ExplainCommand(options: options).run()
        case .intake:
            return try await IntakeCommand(options: options).run()
        }
    }
}

/// What the process answers to whoever started it: the numbers of `sysexits.h`.
enum ExitStatus: Int32 {
    case success = 0
    case usage = 64
    case noInput = 66
    case software = 70
    case interrupted = 130

    /// The status for each of the errors that end the program.
    ///
    /// They are the caller's to correct, and no business of the bus; a map is all that they need.
    static let ofErrors = ErrorMap<ExitStatus>(default: .software)
        .on(UsageError.self, .usage)
        .on(UnreadableInbox.self, .noInput)
}
