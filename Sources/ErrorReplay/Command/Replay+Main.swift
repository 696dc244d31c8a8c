public import ErrorRecording
public import ErrorRouting
import Foundation

extension Replay {
    /// Runs a replay as a command, and ends the process with the exit status.
    ///
    /// A program for your own rules needs only this call.
    ///
    /// ```swift
    /// import ErrorReplay
    /// import ErrorRouting
    ///
    /// await Replay.main(rules: .default)
    /// ```
    ///
    /// The arguments are files, `-` for standard input, and options. Options limit the replay to certain times, hosts,
    /// services, and types, or choose the form of the output; `--help` lists them. The command reads the files on all
    /// cores. It reads a file only once, even if several arguments name it. On a terminal, it shows its progress.
    ///
    /// The exit status comes from the replay's ``Verdict``: 0 if nothing would change, 1 if something would, 2 if
    /// nothing was compared. It is 66 if a file can't be read to its end, or if it has lines and none of them is a
    /// record; the command names the file on standard error. It is 64 for an invalid command line, and 74 if the output
    /// can't be written. After an interrupt, the command writes the table of the lines that it has read, with a note,
    /// and ends with 130; after SIGTERM with 143. Another interrupt ends it immediately.
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
