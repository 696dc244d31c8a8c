import Foundation
package import Testing

/// A process that a test starts, and its output when it has ended.
package struct ChildProcess: Sendable {
    package let status: Int32
    package let output: String

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - command: The program, which is found as a shell finds it, and its arguments.
    /// - environment: Additional environment variables.
    package init(_ command: [String], environment: [String: String] = [:]) async throws {
        // Use a separate thread: waiting would block a thread of the pool, and actions of other tests would exceed
        // their time limits.
        self = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try ChildProcess(waitingFor: command, environment) })
            }
        }
    }

    /// Runs a program to its end, on this thread.
    package init(waitingFor command: [String], _ environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }
}

/// Tests that run in a separate process: tests that must fail, because their known issues would be in the output of a
/// passing run, and tests that change state that other tests would see.
package enum SeparateTests {
    private static let variable = "ERROR_BUS_SEPARATE_TESTS"

    /// Whether this process runs these tests.
    package static var areRun: Bool { ProcessInfo.processInfo.environment[variable] != nil }

    /// Runs these tests in a separate process.
    ///
    /// - Parameter filter: A regular expression for their names.
    package static func run(_ filter: String) async throws -> ChildProcess {
        let own = CommandLine.arguments
        // On Darwin, the program is a helper of the toolchain that loads the tests.
        let bundle = own.firstIndex(of: "--test-bundle-path").map { own[$0...].prefix(2) } ?? []
        let program = Bundle.main.executablePath ?? own[0]
        return try await ChildProcess(
            [program] + bundle + ["--testing-library", "swift-testing", "--filter", filter]
                + own.filter { $0 == "--no-parallel" },
            environment: [variable: "1"])
    }
}

extension Trait where Self == ConditionTrait {
    /// The condition of tests that must fail.
    package static var showsFailures: Self {
        .enabled(if: SeparateTests.areRun, "run by FailureTests in a separate process")
    }
}
