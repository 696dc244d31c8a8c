import FaultServer
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program that runs in its own process, such as the order service, with everything that it writes.
///
/// A thread reads the output to its end and then waits for the process. So nothing here depends on a child's signals,
/// and a full pipe doesn't block the program.
final class ServiceProcess: Sendable {
    /// How a process ended.
    enum End: Sendable, Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    /// An event didn't happen in time.
    ///
    /// The description shows the last lines that the process wrote.
    struct TimedOut: Error, CustomStringConvertible {
        let description: String
    }

    struct NotStarted: Error {
        let code: Int32
    }

    private struct Output {
        var lines: [LogLine] = []
        var end: End?
    }

    let id: pid_t
    private let output: Watched<Output>

    /// Starts the service on a free port, runs the body when the service listens, and ends the process.
    ///
    /// - Parameters:
    ///   - folder: The folder of the database. Pass the same folder again to use the same database.
    ///   - server: The supplier.
    ///   - variables: Further environment variables.
    ///   - body: Receives the process and a client of the service.
    static func withService<Value>(
        in folder: TemporaryFolder,
        supplier server: FaultServer,
        _ variables: [String: String] = [:],
        _ body: (ServiceProcess, Caller) async throws -> Value
    ) async throws -> Value {
        try await withProcess(in: folder, supplier: server, variables) { process in
            let line = try await process.line("listening") { $0.message == "listening" }
            return try await Caller.withCaller(port: try #require(line.port)) { try await body(process, $0) }
        }
    }

    /// Starts the service and runs the body without waiting until the service listens.
    static func withProcess<Value>(
        in folder: TemporaryFolder,
        supplier server: FaultServer,
        _ variables: [String: String] = [:],
        _ body: (ServiceProcess) async throws -> Value
    ) async throws -> Value {
        let environment = [
            "PORT": "0", "DATABASE": folder.path("orders.sqlite"), "SUPPLIER_URL": server.url("").absoluteString,
        ].merging(variables) { $1 }
        let process = try ServiceProcess("OrderService", environment)
        defer { process.send(SIGKILL) }
        return try await body(process)
    }

    /// Starts a program.
    init(_ program: String, _ variables: [String: String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw NotStarted(code: errno) }
        // Don't let other children inherit one end of the pipe: it would keep the pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(writing) }
        id = try Self.spawn(Executable.path(program), variables, writing)
        output = Watched(Output())
        let (id, output) = (id, output)
        Thread.detachNewThread {
            let handle = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest.append(data)
                var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = Data(lines.removeLast())
                let read = lines.map { LogLine($0) }
                output.update { $0.lines += read }
            }
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            let last = rest.isEmpty ? [] : [LogLine(rest)]
            output.update { output in
                output.lines += last
                output.end = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
            }
        }
    }

    /// All lines that the process has written so far.
    var lines: [LogLine] { output.value.lines }

    /// Waits until the process has written a matching line, then returns the line.
    @discardableResult
    func line(_ what: String, where condition: @escaping @Sendable (LogLine) -> Bool) async throws -> LogLine {
        // Stop at the process's end, after which it doesn't write lines.
        let output = try await wait(for: what) { $0.end != nil || $0.lines.contains(where: condition) }
        guard let line = output.lines.first(where: condition) else {
            throw TimedOut(description: "it ended without \(what)\n\(tail)")
        }
        return line
    }

    /// Waits until the process has ended and all of its output has been read.
    func end() async throws -> End {
        guard let end = try await wait(for: "its end", until: { $0.end != nil }).end else { throw CancellationError() }
        return end
    }

    /// Sends a signal unless the process has ended.
    ///
    /// After that, another process might have its ID.
    func send(_ signal: Int32) {
        if output.value.end == nil { kill(id, signal) }
    }

    /// Waits until a condition holds, and kills the process if that takes more than two minutes.
    private func wait(for what: String, until condition: @escaping @Sendable (Output) -> Bool) async throws -> Output {
        let isThere = try await within(.seconds(120)) { [output] in try await output.wait(until: condition) }
        if !isThere {
            send(SIGKILL)
            throw TimedOut(description: "no \(what) within two minutes\n\(tail)")
        }
        return output.value
    }

    private var tail: String { lines.suffix(20).map(\.text).joined(separator: "\n") }
}

/// An executable that the build has put next to the tests.
enum Executable {
    struct NotFound: Error {
        let name: String
    }

    static func path(_ name: String) throws -> String {
        // Start at the tests' bundle: on Darwin the main bundle is the test runner's.
        var folder = Bundle(for: ServiceProcess.self).bundleURL
        while folder.pathComponents.count > 1 {
            let file = folder.appending(path: name)
            if FileManager.default.isExecutableFile(atPath: file.path), !file.hasDirectoryPath { return file.path }
            folder.deleteLastPathComponent()
        }
        throw NotFound(name: name)
    }
}

/// Runs an operation for at most a limited time.
///
/// - Returns: Whether the operation ended in time. If not, it is cancelled.
func within(_ limit: Duration, _ operation: @escaping @Sendable () async throws -> Void) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
            try await operation()
            return true
        }
        group.addTask {
            try await Task.sleep(for: limit)
            return false
        }
        defer { group.cancelAll() }
        return try await group.next() ?? false
    }
}
