public import ErrorRecording
public import ErrorRouting
import Foundation

extension Replay {
    /// Runs a replay as a command, and exits the process with the replay's status.
    ///
    /// A program that replays your own rules needs only this call:
    ///
    /// ```swift
    /// import ErrorReplay
    /// import ErrorRouting
    ///
    /// await Replay.main(rules: .default)
    /// ```
    ///
    /// The arguments are files, `-` for standard input, and options. Options limit the replay to certain times, hosts,
    /// services, and types, or select the output format; `--help` lists them. The command reads the files on all cores.
    /// It reads a file only once, even if several arguments name it. On a terminal, it shows its progress.
    ///
    /// The exit status corresponds to the replay's ``Verdict``: 0 if nothing would change, 1 if something would change,
    /// 2 if nothing was compared. It is 66 if a file can't be read to its end, or if a file contains lines but no
    /// record; the command names the file on standard error. It is 64 for an invalid command line, and 74 if the output
    /// can't be written. When interrupted, the command writes the table of the lines that it has read, with a note, and
    /// exits with 130; after SIGTERM, it exits with 143. A second interrupt terminates it immediately.
    ///
    /// - Parameters:
    ///   - rules: The rules of the bus.
    ///   - scopes: The rules of scopes, as in ``init(rules:scopes:rebuilding:)``.
    ///   - rebuilding: The error types that were added when the errors were recorded.
    ///   - arguments: The command-line arguments after the program's name.
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
