import Foundation

/// Reads a code base and lists where it loses errors.
public struct Audit: Sendable {
    /// The version of the tool.
    public static let version = "1.0.0"

    /// The result of an audit.
    public struct Result: Sendable, Encodable {
        /// The files that were read, as paths in the project's folder.
        public let files: [String]
        /// The number of their lines.
        public let lines: Int
        /// The findings, those that matter most first.
        public var findings: [Finding]
        /// The files and folders that weren't read in full; findings might be missing from each.
        public var unread: [Unread] = []
        /// The given files that are tests, generated, or excluded.
        public var skipped: [String] = []
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

    /// Reads the Swift files at or under the given paths, as many at once as there are cores.
    ///
    /// - Parameter paths: Files and folders.
    /// - Returns: The findings, and what couldn't be read.
    /// - Throws: An error that names a path that doesn't exist.
    public func run(_ paths: [String]) async throws -> Result {
        let source = SourceFiles(configuration: configuration, root: project.root)
        let selection = try source.find(paths)
        let files = selection.files.sorted()
        // A file has the same findings whether it is named itself or by its folder, so read the project's declarations.
        let all = try project.root.map { Set(try source.find([$0]).files).union(files) } ?? selection.files
        let loggers = await BigStack.map(all.sorted()) { path in
            // A file without the name of a quiet level can't declare one as a default.
            guard case .success(let text) = Self.text(of: path), LoggerDefaults.areNamed(in: text) else {
                return LoggerDefaults()
            }
            return LoggerDefaults.of(SourceText.parse(text))
        }.reduce(into: LoggerDefaults()) { $0.formUnion($1) }
        let parts = await BigStack.map(files) { audit($0, loggers) }
        return Result(
            files: zip(files, parts).filter { $1.lines != nil }.map { project.relative($0.0) },
            lines: parts.reduce(0) { $0 + ($1.lines ?? 0) }, findings: parts.flatMap(\.findings).ranked(),
            unread: (selection.unread.map { Unread(path: Project.shown($0.path), reason: $0.reason) }
                + parts.compactMap(\.unread)).sorted { $0.path < $1.path },
            skipped: selection.skipped.map(Project.shown))
    }

    /// What one file contributes to the result.
    struct Part: Sendable {
        /// The number of lines; nil if nothing was read.
        var lines: Int?
        var findings: [Finding] = []
        var unread: Unread?
    }

    private func audit(_ path: String, _ loggers: LoggerDefaults) -> Part {
        let shown = Project.shown(path)
        switch Self.text(of: path) {
        case .failure(let reason): return Part(unread: Unread(path: shown, reason: reason.description))
        case .success(let text):
            var part = audit(text, path: shown, loggers)
            let relative = project.relative(path)
            for index in part.findings.indices { part.findings[index].identity.path = relative }
            return part
        }
    }

    /// Audits one source text that isn't nested too deep.
    func audit(_ text: String, path: String, _ loggers: LoggerDefaults = LoggerDefaults()) -> Part {
        let file = SourceText(text, path: path, configuration: configuration, loggers: loggers)
        var part = Part(lines: text.utf8.count { $0 == UInt8(ascii: "\n") }, findings: Detector.findings(in: file))
        if let flaw = file.flaw {
            part.unread = Unread(path: path, reason: flaw)
            // Where the parser had to guess, a rewrite would be a guess too.
            for index in part.findings.indices { part.findings[index].edits = [] }
        }
        return part
    }

    /// Returns the findings in one source text.
    func findings(in text: String, path: String) -> [Finding] { audit(text, path: path).findings }

    /// The result of a rewrite.
    public struct Rewrite: Sendable {
        /// The number of rewritten findings.
        public fileprivate(set) var count = 0
        /// The findings that are left alone, each with the reason.
        public fileprivate(set) var left: [(finding: Finding, reason: String)] = []
    }

    /// Rewrites the findings for which the rewrite is certain to compile.
    ///
    /// A file is written only if the result parses.
    ///
    /// - Parameters:
    ///   - kind: The kind of findings to rewrite.
    ///   - findings: The findings of a run. Findings that the code shows to be harmless are left alone.
    /// - Returns: What was rewritten, and what wasn't.
    public func fix(_ kind: Kind, in findings: [Finding]) async -> Rewrite {
        let losses = findings.filter { $0.kind == kind && $0.harmless == nil }
        var rewrite = Rewrite()
        rewrite.left = losses.filter { !$0.isFixable }.map { ($0, "no rewrite is certain to compile") }
        let groups = Dictionary(grouping: losses.filter(\.isFixable), by: \.path).sorted { $0.key < $1.key }
        for (reason, group) in await BigStack.map(groups, { (Self.rewrite($0.key, $0.value), $0.value) }) {
            if let reason { rewrite.left += group.map { ($0, reason) } } else { rewrite.count += group.count }
        }
        return rewrite
    }

    /// Rewrites one file; returns the reason if it doesn't.
    private static func rewrite(_ path: String, _ findings: [Finding]) -> String? {
        switch text(of: path) {
        case .failure(let reason): return reason.description
        case .success(let text):
            guard let result = Rewriting.apply(findings.flatMap(\.edits), to: text) else {
                return "the file changed, or imports ErrorRouting only under a condition"
            }
            do {
                // Writing atomically would replace a link with a file.
                let target = URL(filePath: path).resolvingSymlinksInPath()
                try Data(result.utf8).write(to: target, options: .atomic)
                return nil
            } catch {
                return "the file can't be written: \(error.localizedDescription)"
            }
        }
    }

    /// Why a file isn't parsed.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns a file's text if the parser can read it.
    static func text(of path: String) -> Swift.Result<String, Unreadable> {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            return .failure(Unreadable(description: "the file can't be read: \(error.localizedDescription)"))
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            return .failure(Unreadable(description: "the file isn't UTF-8"))
        }
        guard !Nesting.isTooDeep(text) else {
            return .failure(Unreadable(description: "the code is nested too deep"))
        }
        return .success(text)
    }
}
