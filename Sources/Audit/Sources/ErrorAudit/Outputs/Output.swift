import Foundation

/// The output formats for findings.
public enum Output: String, CaseIterable, Sendable {
    /// Lines that editors and Xcode understand.
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
    ///   - showing: Which findings `text` shows.
    /// - Throws: An encoder's error.
    public func render(_ result: Audit.Result, showing: Shown = .half) throws -> String {
        switch self {
        case .text: Self.text(result, showing)
        case .json: try Self.encode(result)
        case .github:
            (result.findings.filter { $0.harmless == nil }.map(Self.annotation) + result.unread.map(Self.annotation))
                .joined(separator: "\n")
        case .sarif: try Self.encode(Sarif.log(result))
        }
    }

    /// Which findings are shown.
    public enum Shown: Sendable {
        /// The half of the losses that matters more.
        case half
        /// All losses.
        case losses
        /// The harmless findings too.
        case all
    }

    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func text(_ result: Audit.Result, _ showing: Shown) -> String {
        let losses = result.findings.filter { $0.harmless == nil }
        let shown =
            showing == .all
            ? result.findings : showing == .losses ? losses : Array(losses.prefix((losses.count + 1) / 2))
        var lines = shown.flatMap { finding in
            let place = finding.place.isEmpty ? "" : "\(finding.place): "
            return [
                "\(finding.path):\(finding.line):\(finding.column): \(finding.harmless == nil ? "warning" : "note"): "
                    + "\(place)\(finding.reason) [\(finding.kind.rawValue), \(finding.score)]"
            ] + (finding.harmless == nil ? ["    → \(finding.instead)"] : [])
        }
        lines += result.unread.map { "\($0.path):1:1: error: not read in full: \($0.reason)" }
        lines += result.skipped.map { "\($0): skipped: a test, generated, or excluded" }
        func count(_ number: Int, _ one: String, _ more: String) -> String { "\(number) \(number == 1 ? one : more)" }
        lines.append(
            "\(count(losses.count, "probable loss", "probable losses")) and \(result.findings.count - losses.count) "
                + "harmless in \(count(result.files.count, "file", "files")), \(result.lines) lines"
                + (showing == .half && shown.count < losses.count ? "; --all shows the rest" : ""))
        return lines.joined(separator: "\n")
    }

    private static func annotation(_ finding: Finding) -> String {
        let location =
            "file=\(escape(finding.identity.path, property: true)),line=\(finding.line),col=\(finding.column)"
        return "::warning \(location),title=error-audit %28\(finding.kind.rawValue)%29::"
            + escape("\(finding.place): \(finding.reason). Write: \(finding.instead)", property: false)
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
