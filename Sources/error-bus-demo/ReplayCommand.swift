import BoundedDescriptions
import ErrorRecording
import ErrorRouting
import Foundation

/// The replay command: says what the rules would do with the errors that an earlier run has recorded.
struct ReplayCommand: Sendable {
    let options: Options

    @concurrent
    func run() async throws -> ExitStatus {
        guard let file = options.recording else { throw UsageError("replay needs a file") }
        let data: Data
        do {
            data = try file.read(upTo: .max - 1)
        } catch {
            throw UnreadableRecording(path: file, underlying: error)
        }
        let replay = Self.replay(data, hasChangedRules: options.hasChangedRules)
        Console.writeLine("\(replay)")
        return replay.differences.isEmpty ? .success : .differences
    }

    /// Replays the lines of a file through the program's own rules, or through changed ones.
    static func replay(_ data: Data, hasChangedRules: Bool) -> Replay {
        // No action runs, so nothing is recorded in it.
        let ledger = Ledger()
        let rules = ErrorHandler.orderIntake(ledger: ledger)
        var replay = Replay(
            rules: hasChangedRules ? rules.overlaid(with: .changes) : rules,
            scopes: IntakeScopes.handlers(ledger), rebuilding: .orderIntake)
        for line in data.split(separator: UInt8(ascii: "\n")) where !Task.isCancelled {
            replay.add(String(decoding: line, as: UTF8.self))
        }
        return replay
    }
}

extension ErrorHandler {
    /// Changes that somebody might make to the rules: empty orders are nothing to look at any more, and an entry that
    /// has gone is.
    static var changes: ErrorHandler {
        ErrorHandler()
            .ignore(OrderError.noLines)
            .on(domain: NSPOSIXErrorDomain, code: Int(ENOENT)) { _ in .stop }
    }
}

/// The recorded errors cannot be read.
struct UnreadableRecording: Error, CustomStringConvertible {
    let path: FilePath
    let underlying: any Error

    /// The path and the reason on one line.
    var description: String {
        "cannot read the recorded errors in \(OneLine.quoted(path.text)): \(underlying.localizedDescription)"
    }
}
