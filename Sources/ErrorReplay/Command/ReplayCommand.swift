import BoundedDescriptions
import Foundation

/// Reads files on all cores, and writes the result.
struct ReplayCommand: Sendable {
    /// The replay to run, which hasn't read any lines yet.
    let replay: Replay
    var isInterrupted: @Sendable () -> Bool = { Interrupt.signal != nil }
    /// Writes a string to standard output, and returns whether that succeeded.
    var write: @Sendable (String) -> Bool = { Self.write($0.utf8, to: .standardOutput) }
    var writeError: @Sendable (String) -> Void = { _ = Self.write($0.utf8, to: .standardError) }
    var showProgress = Self.terminal

    static let usageStatus: Int32 = 64
    static let outputErrorStatus: Int32 = 74

    private static var name: String { OneLine.escaped(ProcessInfo.processInfo.processName) }

    /// Runs the command, and returns the exit status.
    func run(_ arguments: [String]) async -> Int32 {
        let options: ReplayOptions
        do {
            options = try ReplayOptions(arguments)
        } catch {
            writeError("\(Self.name): \(error)\n\(ReplayOptions.help)")
            return Self.usageStatus
        }
        if options.showsHelp { return write(ReplayOptions.help) ? 0 : Self.outputErrorStatus }
        let result = await read(options)
        let text =
            options.isJSON
            ? result.json(onlyDifferences: options.showsOnlyDifferences)
            : result.table(onlyDifferences: options.showsOnlyDifferences)
        guard write(text + "\n") else {
            writeError("\(Self.name): cannot write to standard output\n")
            return Self.outputErrorStatus
        }
        if result.verdict == .interrupted, let signal = Interrupt.signal { return 128 + signal }
        return result.verdict.exitStatus
    }

    // MARK: Reading

    private typealias Part = (number: Int, replay: Replay)

    /// Reads each file with its own replay, and merges the replays in file order.
    private func read(_ options: ReplayOptions) async -> Replay {
        var empty = replay
        empty.filter = options.filter
        var inputs = ReplayInputs(options.files)
        let progress = ReplayProgress(of: inputs.size, show: showProgress)
        // `waiting` contains the finished replays by file number, and `next` is the number of the next replay to merge.
        var (result, waiting, next) = (empty, [Int: Replay](), 0)
        await withTaskGroup(of: Part.self) { group in
            func start() {
                guard let (number, input) = inputs.next() else { return }
                group.addTask { [empty] in (number, part(input, empty, progress)) }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { start() }
            for await part in group {
                waiting[part.number] = part.replay
                while let part = waiting.removeValue(forKey: next) {
                    result.merge(part)
                    next += 1
                }
                start()
            }
        }
        progress.end()
        return result
    }

    /// Replays one file.
    private func part(_ input: Result<ReplayInput, Replay.UnreadableInput>, _ empty: Replay, _ progress: ReplayProgress)
        -> Replay
    {
        var part = empty
        part.add(from: input, unless: isInterrupted) { lines, bytes in
            progress.add(lines: lines, bytes: bytes)
        } onFailure: { error in
            writeError("\(Self.name): \(OneLine.escaped(error.description))\n")
        }
        return part
    }

    /// Writes a string to the terminal; nil if standard error isn't a terminal.
    static var terminal: (@Sendable (String) -> Void)? {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
            ? { @Sendable in _ = write($0.utf8, to: .standardError) } : nil
    }

    /// Writes bytes to a file, and returns whether that succeeded.
    static func write(_ bytes: some Sequence<UInt8>, to file: FileHandle) -> Bool {
        do {
            try file.write(contentsOf: Data(bytes))
            return true
        } catch {  // error-audit: harmless, because the result is false then
            return false
        }
    }
}
