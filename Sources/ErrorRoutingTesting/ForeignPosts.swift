import ErrorRouting
import Foundation
import Testing

/// Errors that a thread or task of no test posts while there is no bus.
///
/// They cannot be attributed to a test, and fail the run. They end in the process's last resort, which is therefore set
/// when the first test with the trait begins. A root bus would receive these errors too, but there is only one, and the
/// code under test may set it.
enum ForeignPosts {
    /// The reason in the line of an error that was posted without a bus.
    private static let reason = " reason=\"no bus is bound, and there is no root bus\""

    private static let setLastResort: Void = LastResort.setForProcess(
        LastResort { receive($0) }.redacting { $0.texts })

    /// Sets the last resort of the process; does nothing if it has been called before.
    static func watch() { setLastResort }

    /// Whether a line of the last resort is about a failure: it begins with the role.
    static func isOfFailure(_ line: String) -> Bool { line.hasPrefix("\(ErrorReport.Role.failure) ") }

    private static func receive(_ line: String) {
        // Written to standard error as without this last resort: after the run no issue can be recorded.
        FileHandle.standardError.write(Data("\(line)\n".utf8))
        // Not for a test without the trait, and not for errors that a finished bus refused.
        guard Test.current == nil, line.hasSuffix(reason), isOfFailure(line) else { return }
        let source = ErrorReport.Source(inLine: line) ?? .init()
        Issue.record(
            "an error was posted by a thread or task that belongs to no test: \(line)",
            sourceLocation: SourceLocation(source))
    }
}

extension ErrorReport.Source {
    /// Reads the place from a line of the last resort with redacted texts, in which only the reason follows the place.
    init?(inLine line: String) {
        guard let key = line.range(of: " source=", options: .backwards) else { return nil }
        let rest = line[key.upperBound...]
        // The place is in quotes if the file's name needs them.
        let place = rest[..<(rest.range(of: " reason=")?.lowerBound ?? rest.endIndex)]
            .trimmingCharacters(in: ["\""])
        guard let colon = place.lastIndex(of: ":"), let number = UInt(place[place.index(after: colon)...]) else {
            return nil
        }
        self.init(fileID: String(place[..<colon]), line: number)
    }
}

extension ErrorReport {
    /// The text of a report for a line of the last resort: everything except the type and the place, which are fields
    /// of their own.
    var texts: String {
        var texts = [message]
        if !scope.isEmpty { texts.append("scope: \(scope.joined(separator: "/"))") }
        texts += metadata.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        texts += trail.map { "from \($0)" }
        return texts.joined(separator: "; ")
    }
}

extension SourceLocation {
    /// The place of a report, with the file's path if it is the test's own file; of other files only the ID is known.
    ///
    /// - Parameters:
    ///   - source: The place.
    ///   - test: Where the test is; nil if there is none.
    init(_ source: ErrorReport.Source, near test: SourceLocation? = nil) {
        // A poster may give any place, but Swift Testing traps on an invalid one.
        let isPlace = source.line > 0 && source.line < Int.max && source.fileID.contains("/")
        let fileID = isPlace ? source.fileID : "unknown/\(source.fileID.isEmpty ? "file" : source.fileID)"
        self.init(
            fileID: fileID,
            filePath: test?.path(ifOf: fileID) ?? fileID,
            line: isPlace ? Int(source.line) : 1,
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
