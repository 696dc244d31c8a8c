import Foundation

/// The output formats for findings.
public enum Output: String, CaseIterable, Sendable {
    /// Lines that editors and Xcode can parse.
    case text
    /// All findings, for programs.
    case json
    /// Annotations for GitHub workflows.
    case github
    /// SARIF 2.1.0, for code scanning.
    case sarif

    /// Which findings are shown.
    public enum Shown: Sendable {
        /// The half of the losses that has the higher scores.
        case half
        /// All losses.
        case losses
        /// All losses and all harmless findings.
        case all
    }

    /// Returns a result in this format.
    ///
    /// - Parameters:
    ///   - result: The audit's result.
    ///   - showing: Which findings `text` shows.
    /// - Returns: The output, without a trailing newline.
    /// - Throws: An encoder's error.
    public func render(_ result: Audit.Result, showing: Shown = .half) throws -> String {
        switch self {
        case .text: Self.text(result, showing)
        case .json: try Self.encode(result)
        case .github: Self.annotations(result)
        case .sarif: try Sarif.log(result)
        }
    }

    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func text(_ result: Audit.Result, _ showing: Shown) -> String {
        let losses = result.findings.filter { $0.harmless == nil }
        let half = (losses.count + 1) / 2
        let shown = showing == .all ? result.findings : showing == .losses ? losses : Array(losses.prefix(half))
        func count(_ number: Int, _ one: String, _ more: String) -> String { "\(number) \(number == 1 ? one : more)" }
        let sum =
            "\(count(losses.count, "probable loss", "probable losses")) and \(result.findings.count - losses.count) "
            + "harmless in \(count(result.files.count, "file", "files")), \(result.lines) lines"
            + (showing == .half && half < losses.count ? "; --all shows the rest" : "")
        let lines =
            shown.map { finding in
                "\(finding.path):\(finding.line):\(finding.column): \(finding.harmless == nil ? "warning" : "note"): "
                    + "\(finding.place.isEmpty ? "" : "\(finding.place): ")\(finding.reason) "
                    + "[\(finding.kind.rawValue), \(finding.score)]"
                    + (finding.harmless == nil ? "\n    → \(finding.instead)" : "")
            }
            + result.unread.map { "\($0.path):1:1: error: not read in full: \($0.reason)" }
            + result.skipped.map { "\($0): skipped: a test, generated, or excluded" } + [sum]
        return lines.joined(separator: "\n")
    }

    private static func annotations(_ result: Audit.Result) -> String {
        let codes: [Unicode.Scalar: String] = ["%": "%25", "\n": "%0A", "\r": "%0D", ":": "%3A", ",": "%2C"]
        func escape(_ text: String, except: String = "") -> String {
            text.unicodeScalars.map { except.unicodeScalars.contains($0) ? "\($0)" : codes[$0] ?? "\($0)" }.joined()
        }
        func line(_ level: String, _ path: String, _ place: String, _ message: String) -> String {
            "::\(level) file=\(escape(path)),\(place)::\(escape(message, except: ":,"))"
        }
        let findings = result.findings.filter { $0.harmless == nil }.map { finding in
            let title = "title=error-audit %28\(finding.kind.rawValue)%29"
            return line(
                "warning", finding.identity.path, "line=\(finding.line),col=\(finding.column),\(title)", finding.message
            )
        }
        let unread = result.unread.map {
            line("error", $0.path, "title=error-audit", "Not read in full: \($0.reason)")
        }
        return (findings + unread).joined(separator: "\n")
    }
}
