import ErrorRouting
import Foundation
import Testing

/// What is posted where there is no bus, by a thread that belongs to no test: nobody knows whose it is, and it fails
/// the run.
///
/// Such an error ends in the process's last resort, which is therefore set when the first test with the trait begins. A
/// root bus could be another way, but there is one at a time, and it is the code's under test.
enum ForeignPosts {
    /// What the library says of an error that found no bus.
    private static let reason = " reason=\"no bus is bound, and there is no root bus\""

    private static let setLastResort: Void = LastResort.setForProcess(
        LastResort { receive($0) }.redacting { $0.texts })

    /// Notices them from now on.
    static func watch() { setLastResort }

    private static func receive(_ line: String) {
        // As ever, since who is at the terminal shall see it where no run is under way any more.
        FileHandle.standardError.write(Data("\(line)\n".utf8))
        // A test without the trait has said nothing of its errors, and a finished bus knows its poster.
        guard Test.current == nil, line.hasSuffix(reason) else { return }
        let source = ErrorReport.Source(inLine: line) ?? .init()
        Issue.record(
            "an error was posted by a thread or task that belongs to no test: \(line)",
            sourceLocation: SourceLocation(source, in: nil))
    }
}

extension ErrorReport.Source {
    /// The place in a line of a last resort whose texts are redacted, so that it is the last field but the reason.
    init?(inLine line: String) {
        guard let key = line.range(of: " source=", options: .backwards) else { return nil }
        let rest = line[key.upperBound...]
        // In quotes where the file's name needs them.
        let place = rest[..<(rest.range(of: " reason=")?.lowerBound ?? rest.endIndex)]
            .trimmingCharacters(in: ["\""])
        guard let colon = place.lastIndex(of: ":"), let number = UInt(place[place.index(after: colon)...]) else {
            return nil
        }
        self.init(fileID: String(place[..<colon]), line: number)
    }
}

extension ErrorReport {
    /// What a line of a last resort says of a report: all but the type and the place, which have fields of their own in
    /// it, the place as the last.
    var texts: String {
        var texts = [message]
        if !scope.isEmpty { texts.append("scope: \(scope.joined(separator: "/"))") }
        texts += metadata.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        texts += trail.map { "from \($0)" }
        return texts.joined(separator: "; ")
    }
}

extension SourceLocation {
    /// The place of a report; in a test's own file by that file's path, as else only the name is known.
    init(_ source: ErrorReport.Source, in test: Test?) {
        // Posters may say what they like of the place; Swift Testing stops the program for what is none.
        let isPlace = source.line > 0 && source.line < Int.max && source.fileID.contains("/")
        let fileID = isPlace ? source.fileID : "unknown/\(source.fileID.isEmpty ? "file" : source.fileID)"
        self.init(
            fileID: fileID,
            filePath: test?.sourceLocation.path(ifOf: fileID) ?? fileID,
            line: isPlace ? Int(source.line) : 1,
            column: 1)
    }

    private func path(ifOf fileID: String) -> String? {
        #if compiler(>=6.3)
            self.fileID == fileID ? filePath : nil
        #else
            // Swift Testing does not tell.
            nil
        #endif
    }
}
