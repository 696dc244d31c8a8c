import Foundation

/// The findings that a project accepts for now, so that only new ones count.
///
/// A finding is identified by its file, its kind, and its line of code instead of the line's number, so other changes
/// to the file don't make it new.
public struct Baseline: Codable, Equatable, Sendable {
    private struct Entry: Codable, Hashable {
        let path: String
        let kind: Kind
        let code: String
    }

    private struct Accepted: Codable, Equatable {
        let entry: Entry
        let count: Int
    }

    private let accepted: [Accepted]

    /// Creates a baseline of findings.
    ///
    /// - Parameter findings: The findings to accept. Harmless ones need no entry.
    public init(_ findings: [Finding]) {
        let groups = Dictionary(grouping: findings.filter { $0.harmless == nil }.map(Self.entry)) { $0 }
        accepted = groups.map { Accepted(entry: $0.key, count: $0.value.count) }
            .sorted {
                ($0.entry.path, $0.entry.kind.rawValue, $0.entry.code) < (
                    $1.entry.path, $1.entry.kind.rawValue, $1.entry.code
                )
            }
    }

    /// Reads a baseline.
    ///
    /// - Parameter path: The path of a file that ``write(to:)`` wrote.
    /// - Throws: A Foundation error if the file can't be read; a `DecodingError` if it isn't valid.
    public init(path: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Writes the baseline as lines of JSON, so that changes are readable in a diff.
    ///
    /// - Parameter path: The file.
    /// - Throws: A Foundation error if the file can't be written.
    public func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(filePath: path))
    }

    /// Returns the findings that aren't accepted.
    ///
    /// - Parameter findings: The ranked findings. If several have the same code in one file, the lowest ranked are new.
    public func filter(_ findings: [Finding]) -> [Finding] {
        var left = Dictionary(uniqueKeysWithValues: accepted.map { ($0.entry, $0.count) })
        return findings.filter { finding in
            let entry = Self.entry(finding)
            guard let count = left[entry], count > 0 else { return true }
            left[entry] = count - 1
            return false
        }
    }

    private static func entry(_ finding: Finding) -> Entry {
        Entry(path: finding.path, kind: finding.kind, code: finding.code)
    }
}
