import Foundation

/// Reads a code base and lists where it loses errors.
public struct Audit: Sendable {
    /// The version of the tool.
    public static let version = "1.0.0"

    /// The result of an audit.
    public struct Result: Sendable, Encodable {
        /// The files that were read, as paths in the project's folder.
        public internal(set) var files: [String] = []
        /// The total number of lines in these files.
        public internal(set) var lines = 0
        /// The findings, in descending order of their scores.
        public var findings: [Finding] = []
        /// The files and folders that weren't read in full, so findings might be missing.
        public internal(set) var unread: [Unread] = []
        /// The given files that were skipped as tests, generated files, or excluded files.
        public internal(set) var skipped: [String] = []
    }

    private let configuration: Configuration
    private let project: Project

    /// Creates an audit.
    ///
    /// - Parameters:
    ///   - configuration: The project's configuration.
    ///   - project: The project's folder.
    public init(_ configuration: Configuration = Configuration(), project: Project? = nil) {
        self.configuration = configuration
        self.project = project ?? Project(config: nil, baseline: nil, paths: ["/"])
    }

    /// Reads the Swift files at or under the given paths, in parallel on all cores.
    ///
    /// - Parameter paths: Files and folders.
    /// - Returns: The findings and the files that couldn't be read.
    /// - Throws: An error that names a path that doesn't exist.
    public func run(_ paths: [String]) async throws -> Result {
        let source = SourceFiles(configuration: configuration, root: project.root)
        let selection = try source.find(paths)
        // Read the whole project's declarations, so that a file has the same findings whether the file or its folder is
        // given.
        let all = try project.root.map { try source.find([$0]).files } ?? []
        let loggers = await BigStack.map(Array(all.union(selection.files))) { path -> Set<String> in
            // Parse only a file that contains the name of a quiet level: other files can't declare such a level as a
            // default.
            // error-audit: harmless, because the next step lists the files that can't be read
            guard let text = try? Self.text(of: path), SourceText.namesQuietLevel(text) else { return [] }
            return SourceText.parse(text).quietLoggers
        }.reduce(into: Set()) { $0.formUnion($1) }
        var result = Result(unread: selection.unread, skipped: selection.skipped.map(Project.shown))
        for part in await BigStack.map(selection.files.sorted(), { audit($0, loggers) }) {
            result.files += part.files
            result.lines += part.lines
            result.findings += part.findings
            result.unread += part.unread
        }
        result.findings = result.findings.ranked()
        for index in result.unread.indices { result.unread[index].path = Project.shown(result.unread[index].path) }
        result.unread.sort { $0.path < $1.path }
        return result
    }

    private func audit(_ path: String, _ loggers: Set<String>) -> Result {
        do {
            var part = audit(try Self.text(of: path), path: Project.shown(path), loggers)
            part.files = [project.relative(path)]
            for index in part.findings.indices { part.findings[index].identity.path = part.files[0] }
            return part
        } catch {
            return Result(unread: [error])
        }
    }

    /// Audits one source text, which mustn't be nested too deeply.
    func audit(_ text: String, path: String, _ loggers: Set<String> = []) -> Result {
        let file = SourceText(text, path: path, configuration: configuration, quietLoggers: loggers)
        var part = Result(
            lines: text.utf8.count { $0 == UInt8(ascii: "\n") }, findings: Detector.findings(in: file),
            unread: file.flaw.map { [Unread(path: path, reason: $0)] } ?? [])
        // Don't rewrite a file that didn't parse: where the parser had to guess, a rewrite would be a guess too.
        if !part.unread.isEmpty { for index in part.findings.indices { part.findings[index].edits = [] } }
        return part
    }

    /// Returns the findings in one source text.
    func findings(in text: String, path: String) -> [Finding] { audit(text, path: path).findings }

    /// Rewrites the findings for which the rewrite is certain to compile.
    ///
    /// A file is written only if the rewritten text parses.
    ///
    /// - Parameters:
    ///   - kind: The kind of findings to rewrite.
    ///   - findings: The findings of a run. Harmless findings aren't rewritten.
    /// - Returns: The number of rewritten findings, and the findings that weren't rewritten.
    public func fix(
        _ kind: Kind, in findings: [Finding]
    ) async -> (count: Int, left: [(finding: Finding, reason: String)]) {
        let losses = findings.filter { $0.kind == kind && $0.harmless == nil }
        var left = losses.filter { !$0.isFixable }.map { ($0, "no rewrite is certain to compile") }
        let groups = Dictionary(grouping: losses.filter(\.isFixable), by: \.path).sorted { $0.key < $1.key }
        let flaws = await BigStack.map(groups) { path, findings -> Unread? in
            do throws(Unread) { try Self.rewrite(path, findings) } catch { return error }
            return nil
        }
        for case (let flaw?, let group) in zip(flaws, groups) { left += group.value.map { ($0, flaw.reason) } }
        return (losses.count - left.count, left)
    }

    private static func rewrite(_ path: String, _ findings: [Finding]) throws(Unread) {
        guard let result = Rewriting.apply(findings.flatMap(\.edits), to: try text(of: path)) else {
            throw Unread(path: path, reason: "the file changed, or imports ErrorRouting only under a condition")
        }
        do {
            // Resolve links first: writing atomically would replace a link with a file.
            let target = URL(filePath: path).resolvingSymlinksInPath()
            try Data(result.utf8).write(to: target, options: .atomic)
        } catch {
            throw Unread(path: path, reason: "the file can't be written: \(error.localizedDescription)")
        }
    }

    /// Returns a file's text if the parser can read it.
    static func text(of path: String) throws(Unread) -> String {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw Unread(path: path, reason: "the file can't be read: \(error.localizedDescription)")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Unread(path: path, reason: "the file isn't UTF-8")
        }
        guard !Nesting.isTooDeep(text) else { throw Unread(path: path, reason: "the code is nested too deep") }
        return text
    }
}
