import Foundation
import Testing

extension FaultLab {
    /// Compares the documentation's table of ends with the service's output in each situation.
    ///
    /// `ERROR_BUS_UPDATE=1` rewrites the table.
    @Suite("The table of ends agrees with the service's output")
    struct EndTableTests {
        private static let page = URL(filePath: #filePath)
            .appending(path: "../../../../../Sources/ErrorRouting/ErrorRouting.docc/OverloadAndShutdown.md")
            .standardized
        private static let header =
            "| what happens | the process ends with | errors in the log | on standard error | final counts |"

        @Test func `each row shows what was observed`() async throws {
            var rows = [Self.header, "| --- | --- | --- | --- | --- |"]
            for situation in EndSituation.all {
                let process = try await situation.run()
                let end = try await process.end()
                let (logged, written) = Self.errors(in: process)
                let cells = [situation.name, Self.text(end), logged, written, Self.last(process)]
                rows.append("| \(cells.joined(separator: " | ")) |")
            }
            let text = try String(contentsOf: Self.page, encoding: .utf8)
            let documented = try #require(Self.table(of: text), "the page has no table of ends")
            if ProcessInfo.processInfo.environment["ERROR_BUS_UPDATE"] != nil {
                let new = text.replacing(documented.joined(separator: "\n"), with: rows.joined(separator: "\n"))
                try new.write(to: Self.page, atomically: true, encoding: .utf8)
            } else {
                let new = rows.filter { !documented.contains($0) }
                #expect(documented == rows, "ERROR_BUS_UPDATE=1 writes \(new.joined(separator: "\n"))")
            }
        }

        private static func table(of page: String) -> [String]? {
            let lines = page.components(separatedBy: "\n")
            guard let start = lines.firstIndex(of: header) else { return nil }
            return Array(lines[start...].prefix { $0.hasPrefix("|") })
        }

        private static func text(_ end: ServiceProcess.End) -> String {
            switch end {
            case .exit(let status): "status \(status)"
            case .signal(SIGTERM): "SIGTERM"
            case .signal(SIGKILL): "SIGKILL"
            case .signal(let number): "signal \(number)"
            }
        }

        /// Returns the errors in the log, and the errors and the number of pending errors on standard error.
        private static func errors(in process: ServiceProcess) -> (logged: String, written: String) {
            let lines = process.lines.map(\.text)
            let logged = lines.compactMap { line in
                line.firstMatch(of: #/exception\.type=[\w.]*?(\w+) /#).map { type in
                    let found = line.firstMatch(of: #/error\.scope=(?:"([^"]*)"|(\S+))/#)
                    let scope = (found?.1 ?? found?.2).map { ", scope `\($0)`" } ?? ""
                    return "`\(type.1)`\(scope)"
                }
            }
            let written = lines.compactMap { line in
                line.prefixMatch(of: #/\w+ type=[\w.]*?(\w+) message/#).map { "`\($0.1)`" }
            }
            let counted = lines.compactMap { line in
                line.firstMatch(of: #/^error-bus: the process ended while a bus had ([0-9]+) pending/#)
                    .map { "a line that counts pending errors (\($0.1))" }
            }
            return (cell(logged), cell(written + counted))
        }

        private static func cell(_ parts: [String]) -> String { parts.isEmpty ? "–" : parts.joined(separator: "; ") }

        /// Returns `posted` and the nonzero counts that the service logs last.
        private static func last(_ process: ServiceProcess) -> String {
            let totals = process.lines.compactMap { line in
                line.text.range(of: "] posted ").flatMap { range in
                    LogLine.Totals(String(line.text[range.lowerBound...].dropFirst(2)))
                }
            }
            guard let last = totals.last else { return "none" }
            #expect(totals.count == 1 && last.areConsistent)
            let others = last.counts.filter { $0.key != "posted" && $0.value > 0 }.sorted { $0.key < $1.key }
            return (["posted \(last["posted"])"] + others.map { "\($0.key) \($0.value)" }).joined(separator: ", ")
        }
    }
}
