import SwiftSyntax

/// How a call uses a message.
enum MessageUse {
    /// The message isn't read in production: `print`, or a debug line.
    case quiet
    /// The message reaches a reader who can act on it.
    case loud
    /// The call doesn't write a message.
    case none
}

/// Determines which of the project's functions, such as `func log(_ message: String, _ level: Level = .debug)`, are
/// quiet when called without a level.
struct LoggerDefaults: Sendable {
    private var quiet: Set<String> = []

    mutating func formUnion(_ other: Self) { quiet.formUnion(other.quiet) }

    func isQuiet(_ function: String) -> Bool { quiet.contains(function) }

    /// Returns whether a text contains the name of a quiet level.
    static func areNamed(in text: String) -> Bool { quietLevels.contains { text.utf8.contains($0.utf8) } }

    /// Reads the functions that a file declares.
    static func of(_ tree: SourceFileSyntax) -> Self {
        final class Declarations: SyntaxVisitor {
            var found = LoggerDefaults()

            override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
                let name = node.name.text
                for parameter in node.signature.parameterClause.parameters where Words.of(name).contains("log") {
                    guard let level = parameter.defaultValue?.value.as(MemberAccessExprSyntax.self) else { continue }
                    if quietLevels.contains(level.declName.baseName.text) { found.quiet.insert(name) }
                }
                return .skipChildren
            }
        }
        let declarations = Declarations(viewMode: .sourceAccurate)
        declarations.walk(tree)
        return declarations.found
    }
}

private let quietLevels: Set = ["debug", "trace", "verbose", "finest"]
private let loudLevels: Set = [
    "info", "notice", "warn", "warning", "error", "critical", "emergency", "fault", "fatal", "panic", "severe", "alert",
]
private let quietFunctions: Set = ["print", "debugPrint", "dump", "NSLog", "assert", "assertionFailure"]

extension SourceText {
    /// Returns how a call uses a message.
    func messageUse(of call: FunctionCallExprSyntax) -> MessageUse {
        let (callee, name) = (call.callee, call.name)
        if isReporter(callee) { return .loud }
        if quietFunctions.contains(name) {
            let isPrint = name == "print" || name == "debugPrint"
            return isPrint && (isCommand || call.argument("to") != nil) ? .loud : .quiet
        }
        if name == "fputs" || callee.hasPrefix("FileHandle.standardError") { return .loud }
        guard isLogging(callee) else { return .none }
        // Read the level from the function's name or an argument: `.error`, `type: .error`.
        let words = Words.of(name)
        if words.contains(where: { quietLevels.contains($0) }) { return .quiet }
        if words.contains(where: { loudLevels.contains($0) }) { return .loud }
        for argument in call.arguments {
            guard let member = argument.expression.as(MemberAccessExprSyntax.self) else { continue }
            let level = member.declName.baseName.text
            if quietLevels.contains(level) { return .quiet }
            if loudLevels.contains(level) { return .loud }
        }
        return name == "os_log" || loggers.isQuiet(name) ? .quiet : .loud
    }

    /// Returns whether one of the names contains "log" or a similar word.
    private func isLogging(_ callee: String) -> Bool {
        callee.split(separator: ".").contains { part in
            let words = Words.of(part)
            return words.indices.contains { index in
                switch words[index] {
                case "logger", "logging", "oslog", "ddlog", "nslog": true
                case "log", "logs": words.count == index + 1 || !["in", "out", "on", "off"].contains(words[index + 1])
                default: words[index].hasPrefix("ddlog")
                }
            }
        }
    }
}
