import Foundation

/// The findings that a project accepts for now, so that only new ones count.
public struct Baseline: Equatable, Sendable {
    private struct Entry: Codable {
        let finding: Finding.Identity
        let count: Int
    }

    private var counts: [Finding.Identity: Int]

    /// Creates a baseline of findings.
    ///
    /// - Parameter findings: The findings to accept. Harmless ones need no entry.
    public init(_ findings: [Finding]) { counts = Self.count(findings) }

    /// Reads a baseline.
    ///
    /// If two branches added the same entry, it can be there twice: it counts once.
    ///
    /// - Parameter path: The path of a file that ``write(to:)`` wrote.
    /// - Throws: A Foundation error if the file can't be read; a `DecodingError` if it isn't valid.
    public init(path: String) throws {
        let all = try JSONDecoder().decode([String: [Entry]].self, from: Data(contentsOf: URL(filePath: path)))
        counts = Dictionary((all["accepted"] ?? []).map { ($0.finding, $0.count) }, uniquingKeysWith: max)
    }

    /// Writes the baseline as lines of JSON, so that changes are readable in a diff.
    ///
    /// - Parameter path: The file.
    /// - Throws: A Foundation error if the file can't be written.
    public func write(to path: String) throws {
        let entries = counts.map { Entry(finding: $0.key, count: $0.value) }.sorted {
            ($0.finding.path, $0.finding.function, $0.finding.kind.rawValue, $0.finding.call) < (
                $1.finding.path, $1.finding.function, $1.finding.kind.rawValue, $1.finding.call
            )
        }
        try Output.encode(["accepted": entries]).write(to: URL(filePath: path), atomically: true, encoding: .utf8)
    }

    /// Returns the findings that aren't accepted.
    ///
    /// - Parameter findings: The ranked findings. If several have the same identity, the lowest ranked are new.
    public func filter(_ findings: [Finding]) -> [Finding] {
        var left = counts
        return findings.filter { finding in
            guard finding.harmless == nil, let count = left[finding.identity], count > 0 else { return true }
            left[finding.identity] = count - 1
            return false
        }
    }

    /// Removes the entries that a run no longer finds, and adds nothing.
    ///
    /// - Parameters:
    ///   - findings: The findings of the run.
    ///   - isUnjudged: Returns whether the run didn't look for a finding, which therefore stays.
    public mutating func drop(goneFrom findings: [Finding], unless isUnjudged: (Finding.Identity) -> Bool) {
        let found = Self.count(findings)
        for (identity, count) in counts where !isUnjudged(identity) {
            counts[identity] = found[identity].map { min($0, count) }
        }
    }

    private static func count(_ findings: [Finding]) -> [Finding.Identity: Int] {
        findings.filter { $0.harmless == nil }.reduce(into: [:]) { $0[$1.identity, default: 0] += 1 }
    }
}
