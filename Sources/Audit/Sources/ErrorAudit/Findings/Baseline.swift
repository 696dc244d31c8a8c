import Foundation

/// The findings that a project accepts for now, so that only new findings count.
public struct Baseline: Equatable, Sendable {
    private struct Entry: Codable {
        let finding: Finding.Identity
        let count: Int
    }

    private var counts: [Finding.Identity: Int]

    /// Creates a baseline from findings.
    ///
    /// - Parameter findings: The findings to accept. Harmless findings are left out.
    public init(_ findings: [Finding]) {
        counts = findings.filter { $0.harmless == nil }.reduce(into: [:]) { $0[$1.identity, default: 0] += 1 }
    }

    /// Reads a baseline.
    ///
    /// If two branches added the same entry, the file might contain it twice; it counts once.
    ///
    /// - Parameter path: The path of a file that ``write(to:)`` wrote.
    /// - Throws: A Foundation error if the file can't be read; a `DecodingError` if it isn't valid.
    public init(path: String) throws {
        let all = try JSONDecoder().decode([String: [Entry]].self, from: Data(contentsOf: URL(filePath: path)))
        counts = Dictionary((all["accepted"] ?? []).map { ($0.finding, $0.count) }, uniquingKeysWith: max)
    }

    /// Removes the entries of a baseline file that a run no longer finds.
    ///
    /// It doesn't add entries.
    ///
    /// - Parameters:
    ///   - path: The path of the baseline file.
    ///   - result: The result of the run. Entries for its unread files stay, unless the files were deleted.
    ///   - project: The project that the entries' paths are relative to.
    ///   - off: The kinds that the run left out. Their entries stay.
    /// - Returns: The findings that aren't accepted.
    /// - Throws: A Foundation error if the file can't be read or written; a `DecodingError` if it isn't valid.
    public static func update(
        _ path: String, with result: Audit.Result, in project: Project, without off: [Kind]
    ) throws -> [Finding] {
        var baseline = try Self(path: path)
        let read = Set(result.files).subtracting(result.unread.map { project.relative($0.path) })
        // Keep the entries of a file that wasn't read, unless it was deleted.
        baseline.drop(goneFrom: result.findings) { finding in
            let file = (project.root ?? ".") + "/" + finding.path
            return off.contains(finding.kind)
                || !read.contains(finding.path) && FileManager.default.fileExists(atPath: file)
        }
        try baseline.write(to: path)
        return baseline.filter(result.findings)
    }

    /// Writes the baseline as formatted JSON, so that changes are readable in a diff.
    ///
    /// - Parameter path: The path of the file to write.
    /// - Throws: A Foundation error if the file can't be written.
    public func write(to path: String) throws {
        func key(_ finding: Finding.Identity) -> (String, String, String, String) {
            (finding.path, finding.function, finding.kind.rawValue, finding.call)
        }
        let entries = counts.map(Entry.init).sorted { key($0.finding) < key($1.finding) }
        try Output.encode(["accepted": entries]).write(to: URL(filePath: path), atomically: true, encoding: .utf8)
    }

    /// Returns the findings that aren't accepted.
    ///
    /// - Parameter findings: The ranked findings. If more findings have one identity than the baseline accepts, the
    ///   lowest ranked of them are new.
    /// - Returns: The findings that are new or harmless.
    public func filter(_ findings: [Finding]) -> [Finding] {
        var left = counts
        return findings.filter { finding in
            guard finding.harmless == nil, let count = left[finding.identity], count > 0 else { return true }
            left[finding.identity] = count - 1
            return false
        }
    }

    /// Removes the entries that a run no longer finds.
    ///
    /// An entry stays if `isUnjudged` returns true, because the run didn't look for such a finding.
    mutating func drop(goneFrom findings: [Finding], unless isUnjudged: (Finding.Identity) -> Bool) {
        let found = Self(findings).counts
        for (identity, count) in counts where !isUnjudged(identity) {
            counts[identity] = found[identity].map { min($0, count) }
        }
    }
}
