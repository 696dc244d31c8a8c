public import ArgumentParser
public import ErrorAudit
import Foundation

@main
struct Command: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "error-audit",
        abstract: "Lists where Swift code loses errors, starting with the losses that matter most.",
        discussion: """
            Parses Swift files without building them. Skips tests, generated files, and files that .gitignore excludes.
            Mark a harmless line: // error-audit: harmless, because …
            Mark several harmless lines: // error-audit: off, because … and // error-audit: on
            The exit status is 0; 1 if --strict or --limit fails; 2 if something couldn't be read in full; 64 for
            invalid options or an invalid configuration.
            """,
        version: Audit.version)

    @Argument(help: "Files and folders.", completion: .file())
    var paths = ["."]

    @Option(help: "The output format: text, json, github (annotations), or sarif.")
    var format = Output.text

    @Flag(help: "Also show harmless findings and the lower-scoring half of the losses.")
    var all = false

    @Flag(help: "Show every probable loss, and exit with 1 if there are any.")
    var strict = false

    @Option(help: "Show every probable loss, and exit with 1 if there are more than this number.")
    var limit: Int?

    @Option(help: "A baseline file; its findings are left out.", completion: .file())
    var baseline: String?

    @Option(help: "Write the findings to this file as a baseline.", completion: .file())
    var writeBaseline: String?

    @Option(help: "Like --baseline, but also remove fixed losses from the file.", completion: .file())
    var updateBaseline: String?

    @Option(help: "A kind to leave out. You can repeat this option.")
    var off: [Kind] = []

    @Option(help: "A kind to look for, instead of all. You can repeat this option.")
    var only: [Kind] = []

    @Option(help: "A function of the project that reports errors. You can repeat this option.")
    var reporter: [String] = []

    @Option(
        help: "A configuration file; by default, the closest .error-audit.json at or above the first path.",
        completion: .file())
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

    func validate() throws {
        if let fix, !fix.isFixable {
            throw ValidationError("\(fix.rawValue) has no safe rewrite; \(Self.fixable) have")
        }
    }

    func run() async throws {
        let project = Project(config: config, baseline: baseline ?? updateBaseline ?? writeBaseline, paths: paths)
        var settings = Configuration()
        do {
            if let file = project.configuration { settings = try Configuration(path: file) }
        } catch {
            throw ValidationError("\(project.configuration ?? ""): \(error)")
        }
        settings.reporters += reporter
        settings.off += off + (only.isEmpty ? [] : Kind.allCases.filter { !only.contains($0) })
        settings.plain = settings.plain || plain
        settings.includeTests = settings.includeTests || includeTests
        settings.includeGenerated = settings.includeGenerated || includeGenerated
        let status: Int32
        do { status = try await audit(settings, project) } catch {
            Self.note("\(error)")
            throw ExitCode(2)
        }
        if status != 0 { throw ExitCode(status) }
    }

    /// Runs the audit, prints the output, and returns the exit status.
    private func audit(_ settings: Configuration, _ project: Project) async throws -> Int32 {
        let audit = Audit(settings, project: project)
        var result = try await audit.run(paths)
        if let baseline { result.findings = try Baseline(path: baseline).filter(result.findings) }
        if let updateBaseline {
            result.findings = try Baseline.update(updateBaseline, with: result, in: project, without: settings.off)
        }
        if let writeBaseline { try Baseline(result.findings).write(to: writeBaseline) }
        // Print unread files to standard error too: the other formats are often written to a file that isn't read.
        if fix != nil || format != .text { for unread in result.unread { Self.note("\(unread)") } }
        var hasFailed = false
        if let fix {
            let rewrite = await audit.fix(fix, in: result.findings)
            for (finding, reason) in rewrite.left {
                print("\(finding.path):\(finding.line):\(finding.column): left alone: \(reason)")
            }
            print("\(rewrite.count) of \(rewrite.count + rewrite.left.count) rewritten")
        } else {
            print(try format.render(result, showing: all ? .all : strict || limit != nil ? .losses : .half))
            hasFailed = result.findings.count { $0.harmless == nil } > min(strict ? 0 : .max, limit ?? .max)
        }
        return !result.unread.isEmpty ? 2 : hasFailed ? 1 : 0
    }

    /// Prints a message to standard error.
    private static func note(_ message: String) {
        FileHandle.standardError.write(Data("error-audit: \(message)\n".utf8))
    }
}

extension Output: ExpressibleByArgument {}
extension Kind: ExpressibleByArgument {}
