import Foundation

/// Reads a code base and lists where it loses errors.
public struct Audit: Sendable {
    /// The result of an audit.
    public struct Result: Sendable, Encodable {
        /// The number of files read.
        public let files: Int
        /// The number of their lines.
        public let lines: Int
        /// The findings, the likeliest loss first.
        public var findings: [Finding]
    }

    private let configuration: Configuration

    /// Creates an audit.
    ///
    /// - Parameter configuration: The project's configuration.
    public init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// Reads the Swift files at or under the given paths, as many at once as there are cores.
    ///
    /// - Parameter paths: Files and folders.
    /// - Returns: The findings.
    /// - Throws: An error that names a path that doesn't exist.
    public func run(_ paths: [String]) async throws -> Result {
        let files = try SourceFiles(configuration: configuration).find(paths)
        let loggers = await inParallel(files) { _, text in
            text.contains("func log") ? LoggerDefaults.of(text) : nil
        }.reduce(into: LoggerDefaults()) { $0.formUnion($1) }
        let parts = await inParallel(files) { path, text in
            (lines: text.utf8.count { $0 == UInt8(ascii: "\n") }, findings: findings(in: text, path: path, loggers))
        }
        return Result(
            files: files.count, lines: parts.reduce(0) { $0 + $1.lines }, findings: parts.flatMap(\.findings).ranked())
    }

    /// Audits one source text.
    func findings(in text: String, path: String, _ loggers: LoggerDefaults = LoggerDefaults()) -> [Finding] {
        let names = ["try", "catch", "Task", "rror", "ailure", "uccess", "ompletion", "error-audit"]
        guard names.contains(where: { text.utf8.contains($0.utf8) }) else { return [] }
        return Detector.findings(
            in: SourceText(text, path: path, configuration: configuration, loggers: loggers))
    }

    /// Rewrites the findings that can be rewritten safely.
    ///
    /// - Parameters:
    ///   - kind: The kind of findings to rewrite.
    ///   - findings: The findings of a run. Findings that the code shows to be harmless are left alone.
    /// - Returns: The number of rewritten findings.
    /// - Throws: A Foundation error if a file can't be read or written.
    public func fix(_ kind: Kind, in findings: [Finding]) throws -> Int {
        let fixable = findings.filter { $0.kind == kind && $0.isFixable && $0.harmless == nil }
        for (path, group) in Dictionary(grouping: fixable, by: \.path) {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try Fixes.apply(group.flatMap(\.edits), to: text).write(toFile: path, atomically: true, encoding: .utf8)
        }
        return fixable.count
    }

    /// Calls a closure for each file in parallel, and returns the results in the files' order.
    private func inParallel<Value: Sendable>(
        _ files: [String],
        _ read: @escaping @Sendable (_ path: String, _ text: String) -> Value?
    ) async -> [Value] {
        let workers = ProcessInfo.processInfo.activeProcessorCount
        return await withTaskGroup(of: [(Int, Value)].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    stride(from: worker, to: files.count, by: workers).compactMap { index in
                        // Skip a file that can't be read: there is no code to audit.
                        guard let data = FileManager.default.contents(atPath: files[index]) else { return nil }
                        return read(files[index], String(decoding: data, as: UTF8.self)).map { (index, $0) }
                    }
                }
            }
            var values: [(Int, Value)] = []
            for await part in group { values += part }
            return values.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
