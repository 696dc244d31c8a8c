import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording

/// The engines that the ErrorRecording page names, with the page's queries and configuration.
///
/// `.ci/engines` installs them, and sets the variables with their paths.
@Suite("E5: engines read the files without conversion", .tags(.recording5), .hangLimit)
struct EngineTests {
    private static let page = "Sources/ErrorRecording/ErrorRecording.docc/ErrorRecording.md"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the page's blocks of a language.
    private func blocks(_ language: String) throws -> [String] {
        try Markdown.text(of: Self.page).components(separatedBy: "```\(language)\n").dropFirst().compactMap { rest in
            rest.components(separatedBy: "\n```").first
        }
    }

    /// Runs a program to its end, on a separate thread, and returns its output.
    private func output(of program: String, _ arguments: [String]) async throws -> String {
        let path = folder.path
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let (process, pipe) = (Process(), Pipe())
                        process.executableURL = URL(filePath: program)
                        process.arguments = arguments
                        process.currentDirectoryURL = URL(filePath: path)
                        process.environment = ProcessInfo.processInfo.environment.filter {
                            !$0.key.hasSuffix("SAN_OPTIONS")
                        }
                        process.standardOutput = pipe
                        try process.run()
                        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
                        process.waitUntilExit()
                        return String(decoding: data, as: UTF8.self)
                    })
            }
        }
    }

    /// Waits until rsyslog has written a number of lines; throws after five minutes.
    ///
    /// rsyslog writes to a file without notifying anyone, so check repeatedly.
    private func waitForLines(_ count: Int) async throws {
        let end = ContinuousClock.now + .seconds(300)
        while true {
            let written = (try? Data(contentsOf: URL(filePath: "\(folder.path)/out"))) ?? Data()
            if written.count(where: { $0 == UInt8(ascii: "\n") }) >= count { return }
            try #require(ContinuousClock.now < end, "in five minutes rsyslog has not written \(count) lines")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Records the errors of three processes, each on its own host.
    ///
    /// One file is copied. Another file begins with a line that a killed process has broken in the middle of a
    /// character.
    private func recordFleet() async throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/errors", withIntermediateDirectories: true)
        let broken = Data(#"{"version":1,"time":"2026-"#.utf8) + [0xC3]
        try broken.write(to: URL(filePath: "\(folder.path)/errors/b.jsonl"))
        try handOver(folder.path, as: "fleet")
        for host in ["a", "b", "c"] {
            try handOver(host, as: "host")
            await #expect(processExitsWith: .success) {
                endIfItHangs()
                let (path, host): (String, String) = (try handedOver("fleet"), try handedOver("host"))
                let recorder = try ErrorRecorder(
                    path: "\(path)/errors/\(host).jsonl",
                    // Only one of the programs specifies its release.
                    configuration: .init(
                        fileSize: 40_000, fileCount: 9, release: host == "b" ? "2.4.1" : nil, host: host))
                let rules = ErrorHandler().on(Order.self) { _ in .stop }
                await withErrorBus(handler: rules) { bus in
                    bus.observeUntilEnd { recorder.record($0) }
                    for number in 0..<100 {
                        bus.post(Order.overLimit(cents: number), metadata: ["k\(number)": "\"\n\u{2028}"])
                        if number % 10 == 0 { bus.scope("s").post(Plain(number: number)) }
                        if number % 25 == 0 { bus.post(NSError(domain: "d", code: number), as: .attempt) }
                    }
                }
                expect(await recorder.close(within: longTime).written, equals: 114)
            }
        }
        try FileManager.default.copyItem(
            atPath: "\(folder.path)/errors/a.jsonl", toPath: "\(folder.path)/errors/copy.jsonl")
    }

    /// Runs a query with an engine and returns its rows with the cells as strings.
    private func rows(_ engine: String, _ query: String) async throws -> [[String]] {
        let scripts = [
            "duckdb": "rows = duckdb.sql(query).fetchall()",
            "chdb":
                "rows = json.loads('[' + ','.join(str(chdb.query(query, 'JSONCompactEachRow')).splitlines()) + ']')",
        ]
        let script = """
            import json, sys, \(engine)
            query = sys.argv[1]
            \(scripts[engine] ?? "")
            print(json.dumps([[str(cell) for cell in row] for row in rows]))
            """
        let python = try #require(ProcessInfo.processInfo.environment["ERROR_RECORDING_PYTHON"])
        return try JSONDecoder().decode(
            [[String]].self, from: Data(try await output(of: python, ["-c", script, query]).utf8))
    }
}

extension EngineTests {
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["ERROR_RECORDING_PYTHON"] != nil, "run .ci/engines"),
        .serialized, arguments: [("duckdb", "read_json("), ("chdb", "LineAsString")])
    func `the page's two queries count the errors of three processes, each once`(engine: String, reader: String)
        async throws
    {
        try await recordFleet()
        // Each engine reads the lines with its own function or format.
        let queries = try blocks("sql").filter { $0.contains(reader) }
        try #require(queries.count == 2)
        // Add up the hours, because the test might run across a full hour.
        var (errors, hosts) = ([String: Int](), Set<String>())
        for row in try await rows(engine, queries[0]) {
            errors[row[1], default: 0] += Int(row[2]) ?? 0
            hosts.insert(row[3])
        }
        let file = "ErrorRecordingTests/EngineTests.swift"
        expect(errors["RecordingSupport.Order.overLimit \(file)"], equals: 300)
        expect(errors["RecordingSupport.Plain \(file)"], equals: 30)
        #expect(errors.values.reduce(0, +) == 3 * 114 && hosts == ["3"])
        // Exclude the attempts, because they are unmatched too.
        let unmatched = try await rows(engine, queries[1])
        expect(
            unmatched.map { [$0[0], $0[2], $0[3]] }, equals: [["RecordingSupport.Plain", "30", "Plain(number: 0)"]])
    }

    #if os(Linux)
        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/rsyslogd"), "install rsyslog"))
        func `rsyslog follows the file over rotations, and every line is output as it was written`() async throws {
            let settings = try #require(try blocks("text").first)
            try """
            \(settings.replacing("/var/log/orders/errors.jsonl", with: folder.file))
            global(workDirectory="\(folder.path)")
            template(name="raw" type="string" string="%msg%\\n")
            action(type="omfile" file="\(folder.path)/out" template="raw")
            """.write(toFile: "\(folder.path)/rsyslog.conf", atomically: true, encoding: .utf8)
            let recorder = try ErrorRecorder(path: folder.file, configuration: .init(fileSize: 100_000, fileCount: 30))
            // Run until all lines have arrived or five minutes are over. After a rotation rsyslog reads both files, in
            // no fixed order. Kill it, because it inherits the blocked signals.
            async let following = output(
                of: "/bin/sh",
                [
                    "-c",
                    """
                    /usr/sbin/rsyslogd -n -f rsyslog.conf -i \(folder.path)/pid & n=0
                    until [ "$(cat out 2> /dev/null | wc -l)" -ge 1001 ] || [ $n -gt 3000 ]; do
                        sleep 0.1; n=$((n + 1))
                    done
                    kill -KILL $!; wait $!
                    """,
                ])
            for number in 0..<1_000 {
                // Some lines are longer than rsyslog's default limit for a message.
                recorder.record(report(Sized(length: number % 100 == 0 ? 12_000 : 300)))
                // Wait until rsyslog has begun and has checked at least once between two rotations, so that it loses
                // nothing.
                if number % 50 == 0 { try await waitForLines(number + 1) }
            }
            expect(await recorder.recordAll([Order.late]).written, equals: 1_001)
            _ = try await following
            let followed = try RecordedFile("\(folder.path)/out")
            #expect(folder.names.filter { $0.hasPrefix("errors.jsonl.") }.count >= 4)
            #expect(followed.isWhole)
            expect(
                followed.records.sorted { $0.sequence < $1.sequence }, equals: (try RecordedFile.all(at: folder.file)))
        }
    #endif
}
