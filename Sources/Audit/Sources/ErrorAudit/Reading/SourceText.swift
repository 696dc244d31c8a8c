import SwiftParser
import SwiftSyntax

/// A parsed file with the facts that the detectors need.
final class SourceText {
    let path: String
    let tree: SourceFileSyntax
    let configuration: Configuration
    let loggers: LoggerDefaults
    /// The lines of the file.
    let lines: [Substring]
    let converter: SourceLocationConverter
    /// Whether the file's output has a reader because the file is part of a command-line tool.
    let isCommand: Bool
    let isTest: Bool

    init(_ text: String, path: String, configuration: Configuration, loggers: LoggerDefaults) {
        self.path = path
        self.configuration = configuration
        self.loggers = loggers
        tree = Self.parse(text)
        // A carriage return with a line feed is one character.
        lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        converter = SourceLocationConverter(fileName: path, tree: tree)
        var modules: Set<String> = []
        for statement in tree.statements {
            if let name = statement.item.as(ImportDeclSyntax.self)?.path.trimmedDescription { modules.insert(name) }
        }
        isTest = modules.contains("XCTest") || modules.contains("Testing")
        isCommand =
            modules.contains("ArgumentParser") || text.hasPrefix("#!")
            || (path.split(separator: "/").last == "main.swift" && !modules.contains("UIKit")
                && !modules.contains("AppKit"))
    }

    /// Parses a text that isn't nested too deep.
    static func parse(_ text: String) -> SourceFileSyntax {
        // By default, a debug build of the parser skips what is deeper than 20 levels.
        var parser = Parser(text, maximumNestingLevel: Nesting.Limit.tokens)
        return SourceFileSyntax.parse(from: &parser)
    }

    /// Why the detectors can't see all the code in the file; nil if they can.
    var flaw: String? {
        guard tree.hasError else { return nil }
        for token in tree.tokens(viewMode: .all) {
            for case .unexpectedText(let text) in token.leadingTrivia.pieces + token.trailingTrivia.pieces
            where text.hasPrefix("<<<<<<< ") || text.hasPrefix(">>>> ") {
                return "a merge conflict hides code near line \(line(of: token))"
            }
        }
        return "it doesn't parse as Swift"
    }

    func line(of node: some SyntaxProtocol) -> Int {
        converter.location(for: node.positionAfterSkippingLeadingTrivia).line
    }

    func text(ofLine line: Int) -> String {
        guard lines.indices.contains(line - 1) else { return "" }
        return lines[line - 1].drop { $0 == " " || $0 == "\t" }.trimmingSuffix { $0.isWhitespace }
    }

    /// Returns whether a call is a report by one of the project's own functions.
    func isReporter(_ callee: String) -> Bool {
        Configuration.names(configuration.reporters, callee) || Configuration.names(configuration.loggers, callee)
            || Configuration.names(configuration.handled, callee)
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        var end = endIndex
        while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
        return String(self[..<end])
    }
}
