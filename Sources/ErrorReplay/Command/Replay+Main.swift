public import ErrorRecording
public import ErrorRouting
import Foundation

extension Replay {
    /// Runs a replay as a command, and ends the process with its status: a program of one's own rules is this call.
    ///
    /// ```swift
    /// import ErrorReplay
    /// import ErrorRouting
    ///
    /// await Replay.main(rules: .default)
    /// ```
    ///
    /// The arguments are files, `-` for standard input, and options: times, hosts, services and types to which the
    /// replay is limited, and the form of its output; `--help` shows them. The files are
    /// read on all cores, and one that is named twice is read once. While it reads, it shows on a terminal how far it
    /// is.
    ///
    /// The process ends with the status of the replay's ``Verdict``: 0 where nothing would change, 1 where something
    /// would, 2 where nothing was compared; 66 where a file cannot be read to its end, 64 for a command line that makes
    /// no sense, 74 where the output cannot be written. At an interrupt it writes the table of what was read, which
    /// says so, and ends with 130; at SIGTERM with 143. Another interrupt ends it at once.
    ///
    /// - Parameters:
    ///   - rules: The rules of the bus.
    ///   - scopes: The rules of scopes, as in ``init(rules:scopes:rebuilding:)``.
    ///   - rebuilding: The types of errors that were added when the errors were recorded.
    ///   - arguments: The words after the program's name.
    public static func main(
        rules: ErrorHandler,
        scopes: [String: ErrorHandler] = [:],
        rebuilding: RebuildableErrors = RebuildableErrors(),
        arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) async -> Never {
        Interrupt.begin()
        let replay = Replay(rules: rules, scopes: scopes, rebuilding: rebuilding)
        exit(await ReplayCommand(replay: replay).run(arguments))
    }
}
