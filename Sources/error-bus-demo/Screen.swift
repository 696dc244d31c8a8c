import Foundation

/// Prints lines and tables, with colors if standard output is a terminal.
struct Screen: Sendable {
    private enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// The words that are colored in tables.
    private static let styles: [String: Style] = [
        "lost": .red, "dropped": .red, "printed": .yellow, "unmatched": .yellow, "handled": .green, "paid": .green,
    ]

    let hasColors: Bool

    static var standardOutput: Screen {
        let environment = ProcessInfo.processInfo.environment
        return Screen(
            hasColors: isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb")
    }

    func begin(_ section: Section) {
        let source = styled("see Sources/error-bus-demo/\(section.file)", .dim)
        print("\n\(styled(section.title, .bold))    \(source)")
    }

    func line(_ text: String) { print("  \(text.replacing("\n", with: "\n  "))") }

    /// Prints rows with aligned columns; the first row contains the column names.
    func table(_ rows: [[String]]) {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.compactMap { $0.dropFirst(column).first?.count }.max() ?? 0 }
        for (index, row) in rows.enumerated() {
            let cells = row.enumerated().map { column, text in
                // Don't pad the last column, because trailing spaces would be invisible differences in copied output.
                let cell = column == row.count - 1 ? text : text.padded(to: widths[column])
                return styled(cell, index == 0 ? .dim : Self.styles[text])
            }
            line(cells.joined(separator: "  "))
        }
    }

    private func styled(_ text: String, _ style: Style?) -> String {
        guard hasColors, let style else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}
