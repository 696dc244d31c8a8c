import Foundation

/// The output formats for findings.
public enum Output: String, CaseIterable, Sendable {
    /// For readers, grouped by file.
    case text
    /// All findings, for programs.
    case json
    /// Annotations for GitHub workflows.
    case github
    /// SARIF 2.1.0, for code scanning.
    case sarif

    /// Returns a result in this format.
    ///
    /// - Parameters:
    ///   - result: The result of an audit.
    ///   - all: Whether `text` shows every finding instead of only the likelier half.
    /// - Throws: An encoder's error.
    public func render(_ result: Audit.Result, all: Bool = false) throws -> String {
        switch self {
        case .text: Self.text(result, all: all)
        case .json: try Self.encode(result)
        case .github:
            (result.findings.filter { $0.harmless == nil }.map(Self.annotation) + result.unread.map(Self.annotation))
                .joined(separator: "\n")
        case .sarif: try Self.encode(Sarif(result))
        }
    }

    private static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func text(_ result: Audit.Result, all: Bool) -> String {
        let shown = all ? result.findings : Array(result.findings.prefix((result.findings.count + 1) / 2))
        var files: [String] = []
        for finding in shown where !files.contains(finding.path) { files.append(finding.path) }
        var lines: [String] = []
        let groups = Dictionary(grouping: shown, by: \.path)
        for file in files {
            lines.append(file)
            for finding in groups[file] ?? [] { lines += describe(finding) }
            lines.append("")
        }
        if !result.unread.isEmpty {
            lines.append("Not read in full, so losses might be missing:")
            lines += result.unread.map { "  \($0)" } + [""]
        }
        let harmless = result.findings.count { $0.harmless != nil }
        let losses = result.findings.count - harmless
        lines.append(
            "\(losses) probable \(losses == 1 ? "loss" : "losses") and \(harmless) harmless in \(result.files) "
                + "\(result.files == 1 ? "file" : "files"), \(result.lines) lines"
                + (shown.count < result.findings.count ? "; --all shows the other half" : ""))
        return lines.joined(separator: "\n")
    }

    private static func describe(_ finding: Finding) -> [String] {
        let score = String(repeating: " ", count: 3 - String(finding.score).count) + String(finding.score)
        let why = finding.harmless.map { ["harmless: \($0)"] } ?? finding.why
        return [
            "\(score)  line \(finding.line), \(finding.kind.rawValue): \(why.joined(separator: "; "))",
            "       \(finding.code)",
        ] + (finding.harmless == nil ? ["     → \(finding.instead)"] : [])
    }

    private static func annotation(_ finding: Finding) -> String {
        let location = "file=\(escape(finding.path, property: true)),line=\(finding.line),col=\(finding.column)"
        let message = "\(finding.why.joined(separator: "; ")). Write: \(finding.instead)"
        return
            "::warning \(location),title=error-audit %28\(finding.kind.rawValue)%29::"
            + escape(message, property: false)
    }

    private static func annotation(_ unread: Unread) -> String {
        "::error file=\(escape(unread.path, property: true)),title=error-audit::"
            + escape("Not read in full: \(unread.reason)", property: false)
    }

    private static func escape(_ text: String, property: Bool) -> String {
        var text = text.replacing("%", with: "%25").replacing("\n", with: "%0A").replacing("\r", with: "%0D")
        if property { text = text.replacing(":", with: "%3A").replacing(",", with: "%2C") }
        return text
    }
}
