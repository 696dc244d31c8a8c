public import ArgumentParser
public import ErrorAudit
import Foundation

@main
struct Command: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "error-audit",
        abstract: "Lists where Swift code loses its errors, the likeliest loss first.",
        discussion: """
            Reads Swift files by their syntax. What .gitignore names, tests and generated files are skipped.
            A line that needs no report says so: // error-audit: harmless, because …
            Ends with 0; with 1 for --strict and --limit; with 2 if it could not do its work.
            """)

    @Argument(help: "Files and folders.", completion: .file())
    var paths = ["."]

    @Option(help: "text, json, github (annotations) or sarif.")
    var format = Output.text

    @Flag(help: "Show every finding, and not only the likelier half.")
    var all = false

    @Flag(help: "End with 1 if there is a probable loss.")
    var strict = false

    @Option(help: "End with 1 if there are more than so many probable losses.")
    var limit: Int?

    @Option(help: "Leave out the findings of this file.", completion: .file())
    var baseline: String?

    @Option(help: "Write the findings to this file, as a baseline.", completion: .file())
    var writeBaseline: String?

    @Option(help: "A function of the project that reports errors; can be repeated.")
    var reporter: [String] = []

    @Option(help: "A configuration file; .error-audit.json is read if it is there.", completion: .file())
    var config: String?

    @Flag(help: "Suggest lines that do without the bus.")
    var plain = false

    @Flag(help: "Read tests too.")
    var includeTests = false

    @Flag(help: "Read generated files too.")
    var includeGenerated = false

    @Option(help: "Rewrite the findings of a kind whose rewrite keeps types and isolation: \(Self.fixable).")
    var fix: Kind?

    private static let fixable = Kind.allCases.filter(\.isFixable).map(\.rawValue).joined(separator: ", ")

    mutating func validate() throws {
        if let fix, !fix.isFixable {
            throw ValidationError("\(fix.rawValue) has no safe rewrite; \(Self.fixable) have")
        }
    }

    func run() async throws {
        let isOver: Bool
        do {
            isOver = try await audit()
        } catch {
            FileHandle.standardError.write(Data("error-audit: \(error)\n".utf8))
            throw ExitCode(2)
        }
        if isOver { throw ExitCode(1) }
    }

    /// Returns whether there are more probable losses than allowed.
    private func audit() async throws -> Bool {
        let audit = Audit(try settings())
        var result = try await audit.run(paths)
        if let baseline { result.findings = try Baseline(path: baseline).filter(result.findings) }
        if let writeBaseline { try Baseline(result.findings).write(to: writeBaseline) }
        if let fix {
            print("\(try audit.fix(fix, in: result.findings)) of \(result.findings.count { $0.kind == fix }) rewritten")
            return false
        }
        print(try format.render(result, all: all))
        let losses = result.findings.count { $0.harmless == nil }
        return strict && losses > 0 || limit.map { losses > $0 } ?? false
    }

    private func settings() throws -> Configuration {
        let standard = ".error-audit.json"
        let file = config ?? (FileManager.default.fileExists(atPath: standard) ? standard : nil)
        var settings = try file.map { try Configuration(path: $0) } ?? Configuration()
        settings.reporters += reporter
        if plain { settings.plain = true }
        if includeTests { settings.includeTests = true }
        if includeGenerated { settings.includeGenerated = true }
        return settings
    }
}

extension Output: ExpressibleByArgument {}
extension Kind: ExpressibleByArgument {}
