package import ErrorRecording
package import ErrorRouting
import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#endif

/// A test's own folder, which is deleted with its contents.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of the recorder's file.
    package var file: String { "\(path)/errors.jsonl" }

    /// The sorted names of the folder's contents.
    package var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// The contents of a file.
package struct RecordedFile {
    package let text: String
    /// The file's lines, without their terminators.
    ///
    /// Text after the last terminator isn't a line.
    package var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
    /// The lines that are records.
    package var records: [ErrorRecord] {
        lines.compactMap { try? JSONDecoder().decode(ErrorRecord.self, from: Data($0.utf8)) }
    }
    /// Whether each line is a record, and the last line is terminated.
    package var isWhole: Bool { text.isEmpty || text.hasSuffix("\n") && records.count == lines.count }

    package init(_ path: String) throws {
        text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    package init(_ folder: TemporaryFolder) throws { try self.init(folder.file) }

    /// Returns the records of a file and of the rotated files, the oldest first.
    package static func all(at path: String) throws -> [ErrorRecord] {
        try (0...20).reversed().flatMap { number in
            let file = number == 0 ? path : "\(path).\(number)"
            guard FileManager.default.fileExists(atPath: file) else { return [ErrorRecord]() }
            let recorded = try RecordedFile(file)
            #expect(recorded.isWhole, "\(file)")
            return recorded.records
        }
    }
}

package enum Order: Error, Codable, Equatable {
    case late
    case overLimit(cents: Int)
}

package struct Plain: Error {
    package let number: Int

    package init(number: Int) { self.number = number }
}

/// An error with a message of a given length.
package struct Sized: Error, CustomStringConvertible {
    package let length: Int
    package var description: String { String(repeating: "x", count: length) }

    package init(length: Int) { self.length = length }
}

package func report(
    _ error: any Error, metadata: [String: String] = [:], scope: [String] = [], occurrences: Int = 1,
    outcome: HandleOutcome = HandleOutcome(disposition: .unmatched)
) -> ErrorReport {
    ErrorReport(
        error: error, source: .init(fileID: "Intake/Rules.swift", line: 12), metadata: metadata, scope: scope,
        sequence: 7, occurrences: occurrences, outcome: outcome)
}

/// A time limit that is longer than any test needs.
package let longTime = Duration.seconds(300)

extension ErrorRecorder {
    /// Records errors, and closes the recorder.
    @discardableResult
    package func recordAll(_ errors: [any Error]) async -> Statistics {
        for error in errors { record(report(error)) }
        return await close(within: longTime)
    }

    /// Waits until no report is pending, for tests that continue recording.
    ///
    /// It checks repeatedly, because there is no event to wait for.
    package func settle() async {
        while statistics.pending > 0 { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
