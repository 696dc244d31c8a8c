import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("The READMEs' Swift compiles, the shown output is correct, and the figures agree with the tables", .hangLimit)
struct ReadmeTests {
    /// Declarations that the snippets assume.
    private let stage = """
        import ErrorRouting

        struct TimedOut: Error {}
        enum PaymentError: Error, Equatable { case declined(code: Int), providerDown }
        nonisolated struct Logger { func error(_ message: String) {} }
        nonisolated let logger = Logger()
        actor Pager {
            static let shared = Pager()
            func page(_ text: String) throws {}
        }
        func syncOrders() async throws {}
        func onTimeout(_ callback: @escaping @Sendable () -> Void) {}
        func loadMenu() async throws -> String { "soup" }
        func serve(_ menu: String?) async {}
        """
}

extension ReadmeTests {
    @Test("the snippets compile as one module")
    func snippets() async throws {
        let snippets = Markdown.swiftBlocks(in: try Markdown.text(of: "README.md"))
        // If the fences changed, the test would find no snippets and pass.
        #expect(snippets.count == 2)
        var sources = ["stage.swift": stage]
        for (index, snippet) in snippets.enumerated() {
            let imports = snippet.contains("import ") ? "" : "import ErrorRouting\n"
            sources["snippet\(index + 1).swift"] = imports + snippet
        }
        expect(try await Typechecker.errors(in: sources, modes: Typechecker.modes), equals: [])
    }

    @Test("the log line in the README is the line that the first snippet logs")
    func line() async throws {
        let readme = try Markdown.text(of: "README.md")
        let lines = try #require(Markdown.swiftBlocks(in: readme).first).components(separatedBy: "\n")
        let index = try #require(lines.firstIndex { $0.contains("catchingErrors") })
        let logged = Locked("")
        await withErrorBus(handler: .logging { _, report in logged.withLock { $0 = "\(report)" } }) { bus in
            bus.post(MenuError.notFound(day: "Sunday"), fileID: "Shop/Shop.swift", line: UInt(index + 1))
        }
        let line = logged.withLock { $0 }.replacing("ErrorRoutingTests.", with: "Shop.")
        #expect(readme.contains("```text\n\(line)\n```"), "README needs this line: \(line)")
    }

    /// These few figures are copied by hand after each new measurement.
    @Test("the README's costs agree with the tables")
    func costs() throws {
        let (dispatch, bus) = (try Figures(of: "dispatch"), try Figures(of: "bus"))
        try check(
            "README.md",
            contains: [
                "A preset with ten type rules handles an error in \(dispatch["the eighth of ten types matches"]) ns;",
                "a list of closures, each of which tries one cast, takes "
                    + "\(dispatch["the eighth of ten types matches", column: 2]) ns if the eighth cast succeeds.",
                "While eight tasks post, the bus handles an error every \(bus["`ErrorBus`, eight rules", column: 3]) ns.",
            ])
    }

    @Test("each of the twelve figures in the benchmarks' README is in the table row that the README names")
    func rows() throws {
        let lines = try Markdown.text(of: "Benchmarks/README.md").components(separatedBy: "\n")
        let rows = lines.map(Figures.cells).filter { $0.count == 4 && $0[3].hasPrefix("`compare ") }
        expect(rows.count, equals: 12)
        for row in rows {
            let figures = try Figures(of: String(row[3].dropFirst("`compare ".count).dropLast()))
            #expect(figures.rows[row[2]]?.contains(row[1]) == true, "\(row), but \(figures.rows[row[2]] ?? [])")
        }
    }

    @Test("the figures in the prose of the benchmarks' README agree with the tables")
    func text() throws {
        let (dispatch, bus) = (try Figures(of: "dispatch"), try Figures(of: "bus"))
        let (built, list) = (dispatch["build ten type rules"], dispatch["build ten type rules", column: 1])
        func times(_ row: String) throws -> String {
            let (longer, plain) = (try #require(Double(bus[row])), try #require(Double(bus["`ErrorBus`, eight rules"])))
            return ((longer / plain * 10).rounded() / 10).formatted(.number.locale(Locale(identifier: "en_US")))
        }
        try check(
            "Benchmarks/README.md",
            contains: [
                "Ten rules that are built and used once cost \(built) ns, and ten closures cost \(list) ns.",
                "an observer (\(times("one observer")) times as long)",
                "a flood limit (\(times("a flood limit, not reached")) times)",
                "a `reports` stream that isn't read (\(times("a `reports` stream, unread")) times)",
            ])
        // A cell in the tables of tails has four figures, of which the second is the p99.
        let tails = try Markdown.text(of: "Benchmarks/Results/bus.md").split(separator: "\n").map(Figures.cells)
        let p99 = try ["`ErrorBus`", "queue behind a mutex"].map { name in
            let row = try #require(tails.first { $0.first == name && $0.last?.contains(" / ") == true })
            return row[2].components(separatedBy: " / ")[1]
        }
        try check(
            "Benchmarks/README.md",
            contains: [
                "With eight threads, the p99 of a post is \(p99[0]) µs for the bus and \(p99[1]) µs for the queue."
            ])
        // Check the cases in which a list of closures is faster, and the cases in which a queue is faster. The beginnings
        // of the tables' pages depend on them too.
        #expect(try #require(Double(p99[0])) < #require(Double(p99[1])))
        func number(_ figure: String) throws -> Int { try #require(Int(figure.replacing(",", with: ""))) }
        #expect(try number(list) < number(built))
        #expect(try number(dispatch["list of closures with predicates"]) < number(dispatch["predicate rules"]))
        let logging = "`ErrorBus`, preset with ten rules, plus a log call"
        let queue = "queue behind a mutex, plus a log call"
        for column in [0, 3] { #expect(try number(bus[queue, column: column]) < number(bus[logging, column: column])) }
        #expect(try number(bus["queue behind a mutex"]) < number(bus["`ErrorBus`, eight rules"]))
    }

    private func check(_ page: String, contains sentences: [String]) throws {
        let text = try Markdown.text(of: page).replacing("\n", with: " ")
        for sentence in sentences { #expect(text.contains(sentence), "\(page) needs this: \(sentence)") }
    }
}

enum MenuError: Error { case notFound(day: String) }

/// The medians of a table in `Benchmarks/Results`.
private struct Figures {
    /// The medians by the name of the row.
    ///
    /// If several rows have the same name, the first row is used.
    let rows: [String: [String]]

    init(of part: String) throws {
        let lines = try Markdown.text(of: "Benchmarks/Results/\(part).md").split(separator: "\n").map(Self.cells)
        let rows = lines.filter { $0.count > 1 }.map { cells in
            (cells[0], cells.dropFirst().map { String($0.prefix { $0 != " " }) })
        }
        self.rows = Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    subscript(row: String, column column: Int = 0) -> String {
        rows[row].flatMap { $0.indices.contains(column) ? $0[column] : nil } ?? "no row \(row)"
    }

    /// Returns the cells of a table's row.
    static func cells(_ line: some StringProtocol) -> [String] {
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
