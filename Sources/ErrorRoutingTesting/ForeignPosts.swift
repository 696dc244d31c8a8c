import ErrorRouting
import Foundation
import Testing

/// Handles errors that are posted without a bus, in a thread or task that doesn't belong to a test.
///
/// These errors can't be attributed to a test, so they fail the whole run. They reach the process's last resort, which
/// is therefore set when the first test with the trait begins. A root bus would receive these errors too, but the code
/// under test might add a newer root, which would then receive them.
enum ForeignPosts {
    private static let setLastResort: Void = LastResort.setForProcess(LastResort(reports: receive))

    /// Sets the process's last resort on the first call.
    static func watch() { setLastResort }

    @Sendable
    private static func receive(_ report: ErrorReport, _ reason: String) {
        // Also write to standard error, as the default last resort does, because issues can't be recorded after the
        // run.
        FileHandle.standardError.write(Data("\(report) reason=\"\(reason)\"\n".utf8))
        // Skip tests without the trait, and errors that an ended bus refused.
        guard Test.current == nil, reason == AmbientErrorPosting.noBus, report.role == .failure else { return }
        Issue.record(
            "an error was posted by a thread or task that belongs to no test: \(report)",
            sourceLocation: SourceLocation(report.source))
    }
}

extension SourceLocation {
    /// Creates a report's source location.
    ///
    /// It contains the file's path only for the test's own file, because only the ID of other files is known. `test` is
    /// the test's source location, or nil if there is no test.
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
            // Swift Testing doesn't have a public file path.
            nil
        #endif
    }
}
