import Foundation
import Synchronization
import TestSupport
import Testing

/// The built demo as a process of its own, whose temporary folder and home are folders of the test.
final class DemoProcess: Sendable {
    /// How a process ended, and what it wrote and left behind.
    struct End: Sendable {
        let reason: Process.TerminationReason
        let status: Int32
        let output: String
        let errors: String
        /// What is in its temporary folder, and the files in its home, where Foundation makes folders for caches and
        /// cookies as soon as there is a session, and puts nothing into them here.
        let leftovers: [(path: String, isFolder: Bool)]
        let duration: Duration

        /// The balance of the bus, which the demo prints at its end.
        var law: Substring? { output.split(separator: "\n").first { $0.hasPrefix("  posted ") } }
        var lawHolds: Bool { law != nil && output.contains("law holds: yes, pending: 0\n") }
    }

    /// The time after which a process is taken to hang.
    private static let limit = Duration.seconds(60)

    private let folder: URL
    private let process: Mutex<Process>
    private let identifier: pid_t
    private let ending: AsyncStream<(Process.TerminationReason, Int32)>
    private let begin = ContinuousClock.now

    /// A folder in memory where there is one: on a busy disk the demo does little else than make and remove files.
    static let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? URL(filePath: "/dev/shm") : disk
    static let disk = FileManager.default.temporaryDirectory

    /// Starts the demo.
    ///
    /// - Parameters:
    ///   - input: What it reads; nil for nothing.
    ///   - output: Where its standard output goes; nil for a file, which is read when it has ended.
    ///   - base: Where the folders are made.
    init(
        _ arguments: [String] = [],
        input: FileHandle? = nil,
        output: FileHandle? = nil,
        in base: URL = memory
    ) throws {
        folder = base.appending(path: "demo-test-\(UUID().uuidString)")
        for name in ["tmp", "home"] {
            let path = folder.appending(path: name)
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        }
        for name in ["out", "err"] { try Data().write(to: folder.appending(path: name)) }
        let process = Process()
        process.executableURL = try BuildFolder.url(of: "error-bus-demo")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "TMPDIR": folder.appending(path: "tmp").path, "HOME": folder.appending(path: "home").path,
        ]) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = try output ?? FileHandle(forWritingTo: folder.appending(path: "out"))
        process.standardError = try FileHandle(forWritingTo: folder.appending(path: "err"))
        let (ending, continuation) = AsyncStream.makeStream(of: (Process.TerminationReason, Int32).self)
        process.terminationHandler = {
            continuation.yield(($0.terminationReason, $0.terminationStatus))
            continuation.finish()
        }
        self.ending = ending
        try process.run()
        identifier = process.processIdentifier
        self.process = Mutex(process)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Sends a signal.
    ///
    /// - Returns: Whether the process was still there to get it.
    @discardableResult
    func interrupt(_ signal: Int32 = SIGINT) -> Bool {
        isRunning && kill(identifier, signal) == 0
    }

    var isRunning: Bool { process.withLock { $0.isRunning } }

    /// Waits for the end, and kills the process if it does not come.
    func end() async throws -> End {
        let watchdog = Task {
            try await Task.sleep(for: Self.limit)
            interrupt(SIGKILL)
        }
        defer { watchdog.cancel() }
        var end = (reason: Process.TerminationReason.uncaughtSignal, status: SIGKILL)
        for await last in ending { end = last }
        let duration = ContinuousClock.now - begin
        return End(
            reason: end.reason, status: end.status,
            output: String(decoding: try Data(contentsOf: folder.appending(path: "out")), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: folder.appending(path: "err")), as: UTF8.self),
            leftovers: try entries("tmp") + entries("home").filter { !$0.isFolder },
            duration: duration
        )
    }

    /// Whether the process has made its temporary folder, and so handles signals.
    var hasTemporaryFiles: Bool { (try? entries("tmp").isEmpty) == false }

    private func entries(_ name: String) throws -> [(path: String, isFolder: Bool)] {
        let folder = folder.appending(path: name)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { path in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)
            return (path, attributes[.type] as? FileAttributeType == .typeDirectory)
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// The condition of tests that start processes and many transfers: `ERROR_BUS_DEMO` is set, and they run by
    /// themselves.
    ///
    /// Beside other suites' exit tests they can hang with no thread at work: Foundation does not report the end of a
    /// process and of some transfers, for an unknown reason.
    static var inProcessOfTheirOwn: Self {
        .enabled(if: ProcessInfo.processInfo.environment["ERROR_BUS_DEMO"] != nil, "run with ERROR_BUS_DEMO=1")
    }
}
