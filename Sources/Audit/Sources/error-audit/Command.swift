public import ArgumentParser
public import ErrorAudit
import Foundation

@main
struct Command: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "error-audit",
        abstract: "Lists where Swift code loses its errors, the likeliest loss first.",
        discussion: """
            Parses Swift files without building them. Skips tests, generated files, and files that .gitignore excludes.
            Mark a line that needs no report: // error-audit: harmless, because …
            The exit status is 0; 1 if --strict or --limit fails; 2 if something couldn't be read in full; 64 for wrong
            options.
            """)

    @Argument(help: "Files and folders.", completion: .file())
    var paths = ["."]

    @Option(help: "The output format: text, json, github (annotations), or sarif.")
    var format = Output.text

    @Flag(help: "Show every finding instead of only the likelier half.")
    var all = false

    @Flag(help: "Exit with 1 if there is a probable loss.")
    var strict = false

    @Option(help: "Exit with 1 if there are more probable losses than this number.")
    var limit: Int?

    @Option(help: "A baseline file; its findings are left out.", completion: .file())
    var baseline: String?

    @Option(help: "Write the findings to this file as a baseline.", completion: .file())
    var writeBaseline: String?

    @Option(help: "A function of the project that reports errors. You can repeat this option.")
    var reporter: [String] = []

    @Option(help: "A configuration file; by default .error-audit.json, if it exists.", completion: .file())
    var config: String?

    @Flag(help: "Suggest lines without the bus.")
    var plain = false

    @Flag(help: "Read tests too.")
    var includeTests = false

    @Flag(help: "Read generated files too.")
    var includeGenerated = false

    @Option(help: "Rewrite the findings of one kind where that is certain to compile: \(Self.fixable).")
    var fix: Kind?

    private static let fixable = Kind.allCases.filter(\.isFixable).map(\.rawValue).joined(separator: ", ")

    mutating func validate() throws {
        if let fix, !fix.isFixable {
            throw ValidationError("\(fix.rawValue) has no safe rewrite; \(Self.fixable) have")
        }
    }

    func run() async throws {
        let status: Int32
        do {
            status = try await audit()
        } catch {
            Self.note("\(error)")
            throw ExitCode(2)
        }
        if status != 0 { throw ExitCode(status) }
    }

    /// Returns the exit status.
    private func audit() async throws -> Int32 {
        let audit = Audit(try settings())
        var result = try await audit.run(paths)
        if let baseline { result.findings = try Baseline(path: baseline).filter(result.findings) }
        if let writeBaseline { try Baseline(result.findings).write(to: writeBaseline) }
        // The other formats are often written to a file.
        if fix != nil || format != .text { for unread in result.unread { Self.note("\(unread)") } }
        let isComplete = result.unread.isEmpty
        if let fix {
            let rewrite = await audit.fix(fix, in: result.findings)
            for (finding, reason) in rewrite.left {
                print("\(finding.path):\(finding.line):\(finding.column): left alone: \(reason)")
            }
            print("\(rewrite.count) of \(rewrite.count + rewrite.left.count) rewritten")
            return isComplete ? 0 : 2
        }
        print(try format.render(result, all: all))
        let losses = result.findings.count { $0.harmless == nil }
        let isOver = strict && losses > 0 || limit.map { losses > $0 } ?? false
        return isComplete ? isOver ? 1 : 0 : 2
    }

    private static func note(_ message: String) {
        FileHandle.standardError.write(Data("error-audit: \(message)\n".utf8))
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
