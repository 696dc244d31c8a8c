import ErrorRouting
import Foundation
import Testing

/// Handles errors that are posted without a bus, in a thread or task that belongs to no test.
///
/// They can't be attributed to a test, so they fail the whole run. They reach the process's last resort, which is
/// therefore set when the first test with the trait begins. A root bus would receive these errors too, but only the
/// newest root counts, and the code under test might set one.
enum ForeignPosts {
    /// The reason in the line of an error posted without a bus.
    private static let reason = " reason=\"no bus is bound, and there is no root bus\""

    private static let setLastResort: Void = LastResort.setForProcess(
        LastResort { receive($0) }.redacting { $0.texts })

    /// Sets the process's last resort on the first call.
    static func watch() { setLastResort }

    /// Returns whether a line of the last resort reports a failure.
    ///
    /// A line begins with the report's role.
    static func isOfFailure(_ line: String) -> Bool { line.hasPrefix("\(ErrorReport.Role.failure) ") }

    private static func receive(_ line: String) {
        // Also write to standard error, as the default last resort does: after the run, no issue can be recorded.
        FileHandle.standardError.write(Data("\(line)\n".utf8))
        // Skip tests without the trait, and errors that an ended bus refused.
        guard Test.current == nil, line.hasSuffix(reason), isOfFailure(line) else { return }
        let source = ErrorReport.Source(inLine: line) ?? .init()
        Issue.record(
            "an error was posted by a thread or task that belongs to no test: \(line)",
            sourceLocation: SourceLocation(source))
    }
}

extension ErrorReport.Source {
    /// Reads the source from a line of the last resort.
    ///
    /// The line's texts are redacted, so only the reason follows the source.
    init?(inLine line: String) {
        guard let key = line.range(of: " source=", options: .backwards) else { return nil }
        let rest = line[key.upperBound...]
        // Remove the quotes that some file names need.
        let text = rest[..<(rest.range(of: " reason=")?.lowerBound ?? rest.endIndex)]
            .trimmingCharacters(in: ["\""])
        guard let colon = text.lastIndex(of: ":"), let number = UInt(text[text.index(after: colon)...]) else {
            return nil
        }
        self.init(fileID: String(text[..<colon]), line: number)
    }
}

extension ErrorReport {
    /// The report's texts for a line of the last resort: everything except the type and the source, which the line has
    /// as separate fields.
    var texts: String {
        var texts = [message]
        if !scope.isEmpty { texts.append("scope: \(scope.joined(separator: "/"))") }
        texts += metadata.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        texts += trail.map { "from \($0)" }
        return texts.joined(separator: "; ")
    }
}

extension SourceLocation {
    /// Creates a report's source location.
    ///
    /// It contains the file's path only for the test's own file, because only the ID of other files is known.
    ///
    /// - Parameters:
    ///   - source: The report's source.
    ///   - test: The test's source location; nil if there is no test.
    init(_ source: ErrorReport.Source, near test: SourceLocation? = nil) {
        // Replace an invalid source: callers can pass anything, but Swift Testing traps on invalid locations.
        let isValid = source.line > 0 && source.line < Int.max && source.fileID.contains("/")
        let fileID = isValid ? source.fileID : "unknown/\(source.fileID.isEmpty ? "file" : source.fileID)"
        self.init(
            fileID: fileID,
            filePath: test?.path(ifOf: fileID) ?? fileID,
            line: isValid ? Int(source.line) : 1,
            column: 1)
    }

    private func path(ifOf fileID: String) -> String? {
        #if compiler(>=6.3)
            self.fileID == fileID ? filePath : nil
        #else
            // Swift Testing has no public file path.
            nil
        #endif
    }
}
