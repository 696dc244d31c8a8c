import BoundedDescriptions
import Foundation

/// Reads files, and writes a page of their records.
package struct IncidentCommand {
    /// Renders the page.
    let page: (Incident) -> [UInt8]
    var isInterrupted: @Sendable () -> Bool = { Interrupt.signal != nil }
    /// Writes bytes to standard output, and returns whether that succeeded.
    var write: ([UInt8]) -> Bool = { ReplayCommand.write($0, to: .standardOutput) }
    var writeError: (String) -> Void = { _ = ReplayCommand.write($0.utf8, to: .standardError) }
    var showProgress = ReplayCommand.terminal

    private static let name = "error-report"

    package init(page: @escaping (Incident) -> [UInt8]) { self.page = page }

    /// Runs the command, and exits the process with its status.
    package func main(_ arguments: [String]) -> Never {
        Interrupt.begin()
        exit(run(arguments))
    }

    /// Runs the command, and returns the exit status.
    ///
    /// The status is 0 for success, 64 for an invalid command line, 66 for a file that can't be read to its end or that
    /// contains lines but no record, 74 for output that can't be written, and 130 or 143 after an interrupt.
    func run(_ arguments: [String]) -> Int32 {
        let options: ReplayOptions
        do {
            options = try ReplayOptions(arguments)
            if options.isJSON || options.showsOnlyDifferences {
                throw ReplayUsageError("only a replay has that option")
            }
        } catch {
            writeError("\(Self.name): \(error)\n\(Self.help)")
            return ReplayCommand.usageStatus
        }
        if options.showsHelp { return write(Array(Self.help.utf8)) ? 0 : ReplayCommand.outputErrorStatus }
        let incident = read(options)
        guard write(page(incident)) else {
            writeError("\(Self.name): cannot write to standard output\n")
            return ReplayCommand.outputErrorStatus
        }
        if incident.isInterrupted { return 128 + (Interrupt.signal ?? SIGINT) }
        return incident.failures.isEmpty ? 0 : Replay.Verdict.unreadableInput.exitStatus
    }

    private func read(_ options: ReplayOptions) -> Incident {
        var incident = Incident()
        incident.filter = options.filter
        var inputs = ReplayInputs(options.files)
        let progress = ReplayProgress(of: inputs.size, show: showProgress)
        while !incident.isInterrupted, let (_, input) = inputs.next() {
            do {
                try incident.add(input.get(), unless: isInterrupted) { progress.add(lines: $0, bytes: $1) }
            } catch {
                let reason = OneLine.escaped(error.description)
                incident.failures.append(reason)
                writeError("\(Self.name): \(reason)\n")
            }
        }
        progress.end()
        return incident
    }

    static let help = """
        usage: error-report FILE … [--since TIME] [--until TIME] [--host NAME] [--service NAME] [--release NAME]
               [--type NAME] > page.html

        Writes a page of recorded errors: when each kind occurred, its outcomes, and which errors were lost. The page is
        one self-contained HTML file.

          FILE             a file of lines that a recorder wrote, in any order; - for standard input, as in
                           zcat archive/*.gz | error-report - > page.html
          --since TIME     leaves out errors posted before a time in UTC, such as 2026-05-31T16:05.
          --until TIME     leaves out errors posted at that time or later.
          --host NAME      leaves out errors of other machines. --service, --release, and --type select errors in the
                           same way. You can repeat each of these options.

        The exit status is 0; 66 if a file can't be read, or if none of its lines is a record; 64 if the command line is
        invalid; 74 if the page can't be written. Ctrl-C ends the reading: the page shows the lines read so far, and the
        exit status is 130.

        """
}

extension Incident {
    /// Counts all lines of a file.
    ///
    /// It throws if the file can't be read to its end, or if it contains lines but no record.
    mutating func add(
        _ input: ReplayInput, unless isCancelled: @escaping () -> Bool, onPiece: (_ lines: Int, _ bytes: Int) -> Void
    ) throws(Replay.UnreadableInput) {
        let before = (lines: lines, unreadable: unreadable)
        var reader = LineReader(input, unless: isCancelled)
        var (lines, taken) = (0, 0)
        while let line = try reader.next() {
            let bytes = reader.buffer.span.extracting(line.range)
            if line.isTooLong { addUnreadable() } else { add(line: bytes) }
            if !line.hasEnd, !bytes.isBlank { unended += 1 }
            lines += 1
            guard lines == 4_096 else { continue }
            onPiece(lines, reader.taken - taken)
            (lines, taken) = (0, reader.taken)
        }
        if reader.wasCancelled { return isInterrupted = true }
        let unreadable = self.unreadable - before.unreadable
        try input.requireRecord(readable: self.lines - before.lines - unreadable, unreadable: unreadable)
    }
}
