import SwiftSyntax

/// How a call uses a message.
enum MessageUse {
    /// The message isn't read in production, like the output of `print` or a debug line.
    case quiet
    /// The message reaches a reader who can act on it.
    case loud
    /// The call doesn't write a message.
    case none

    private static let levels: [String: Self] = Dictionary(
        uniqueKeysWithValues: quietLevels.map { ($0, .quiet) }
            + Words.list("alert critical emergency error fatal fault info notice panic severe warn warning")
            .map { ($0, .loud) })
    fileprivate static let quietLevels = Words.list("debug finest trace verbose")
    fileprivate static let quietFunctions = Words.list("NSLog assert assertionFailure debugPrint dump print")

    /// Returns the use that the names of log levels indicate.
    fileprivate static func of(_ names: [String]) -> Self? {
        let uses = names.compactMap { levels[$0] }
        return uses.contains(.quiet) ? .quiet : uses.first
    }
}

extension SourceText {
    /// Returns how a call uses a message.
    func messageUse(of call: FunctionCallExprSyntax) -> MessageUse {
        let (callee, name) = (call.callee, call.name)
        if isReporter(callee) { return .loud }
        if MessageUse.quietFunctions.contains(name) {
            let isPrint = name == "print" || name == "debugPrint"
            return isPrint && (isCommand || call.argument("to") != nil) ? .loud : .quiet
        }
        if name == "fputs" || callee.hasPrefix("FileHandle.standardError") { return .loud }
        guard Self.isLogging(callee) else { return .none }
        // Read the level from the function's name or from an argument such as `.error` or `type: .error`.
        let members = call.arguments.compactMap {
            $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        }
        let levels = [Words.of(name)] + members.map { [$0] }
        return levels.lazy.compactMap(MessageUse.of).first
            ?? (name == "os_log" || quietLoggers.contains(name) ? .quiet : .loud)
    }

    /// Returns whether a part of a call's name contains "log" or a similar word.
    private static func isLogging(_ callee: String) -> Bool {
        callee.split(separator: ".").contains { part in
            let words = Words.of(part)
            return words.indices.contains { index in
                switch words[index] {
                case "logger", "logging", "oslog", "nslog": true
                case "log", "logs": words.count == index + 1 || !["in", "out", "on", "off"].contains(words[index + 1])
                default: words[index].hasPrefix("ddlog")
                }
            }
        }
    }

    /// Returns whether a string contains the name of a quiet level.
    static func namesQuietLevel(_ text: String) -> Bool {
        MessageUse.quietLevels.contains { text.utf8.contains($0.utf8) }
    }
}

extension SourceFileSyntax {
    /// The declared functions that are quiet when called without a level.
    ///
    /// An example is `func log(_ message: String, _ level: Level = .debug)`.
    var quietLoggers: Set<String> {
        let functions = nodes(FunctionDeclSyntax.self) { $0.is(FunctionDeclSyntax.self) }.filter { function in
            Words.of(function.name.text).contains("log")
                && function.signature.parameterClause.parameters.contains { parameter in
                    let level = parameter.defaultValue?.value.as(MemberAccessExprSyntax.self)?.declName.baseName.text
                    return level.map(MessageUse.quietLevels.contains) == true
                }
        }
        return Set(functions.map(\.name.text))
    }
}
