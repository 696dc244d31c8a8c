import ErrorRouting
import Foundation
import Testing

@testable import ErrorRecording

#if canImport(Darwin)
    import Darwin
#endif

/// A folder of a test's own, deleted with its contents.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of the recorder's file.
    var file: String { "\(path)/errors.jsonl" }

    /// The names of what is in the folder, sorted.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// What a file has in it.
struct RecordedFile {
    let text: String
    /// Its lines, without their ends; what follows the last end is not one.
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
    /// The lines that are records.
    var records: [ErrorRecord] {
        lines.compactMap { try? JSONDecoder().decode(ErrorRecord.self, from: Data($0.utf8)) }
    }
    /// Whether each line is a record, and the last one has its end.
    var isWhole: Bool { text.isEmpty || text.hasSuffix("\n") && records.count == lines.count }

    init(_ path: String) throws {
        text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    init(_ folder: TemporaryFolder) throws { try self.init(folder.file) }

    /// Returns the records of a file and of those that were put aside, the oldest first.
    static func all(at path: String) throws -> [ErrorRecord] {
        try (0...20).reversed().flatMap { number in
            let file = number == 0 ? path : "\(path).\(number)"
            guard FileManager.default.fileExists(atPath: file) else { return [ErrorRecord]() }
            let recorded = try RecordedFile(file)
            #expect(recorded.isWhole, "\(file)")
            return recorded.records
        }
    }
}

enum Order: Error, Codable, Equatable {
    case late
    case overLimit(cents: Int)
}

struct Plain: Error {
    let number: Int
}

/// An error whose message has a length.
struct Sized: Error, CustomStringConvertible {
    let length: Int
    var description: String { String(repeating: "x", count: length) }
}

func report(
    _ error: any Error, metadata: [String: String] = [:], scope: [String] = [], occurrences: Int = 1,
    outcome: HandleOutcome = HandleOutcome(disposition: .unmatched)
) -> ErrorReport {
    ErrorReport(
        error: error, source: .init(fileID: "Intake/Rules.swift", line: 12), metadata: metadata, scope: scope,
        sequence: 7, occurrences: occurrences, outcome: outcome)
}

/// Longer than any test needs.
let longTime = Duration.seconds(300)

extension ErrorRecorder {
    /// Records errors, and closes.
    @discardableResult
    func recordAll(_ errors: [any Error]) async -> Statistics {
        for error in errors { record(report(error)) }
        return await close(within: longTime)
    }

    /// Waits until nothing is pending, as tests do that go on recording; with no other event to wait for, it asks again
    /// and again.
    func settle() async {
        while statistics.pending > 0 { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
