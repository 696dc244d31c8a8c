import SwiftParser
import SwiftSyntax

/// A parsed file with the facts that the detectors need.
final class SourceText {
    let path: String
    let tree: SourceFileSyntax
    let configuration: Configuration
    /// The project's functions that log at debug level when called without a level.
    let quietLoggers: Set<String>
    private let converter: SourceLocationConverter
    /// Whether the file's output has a reader because the file is part of a command-line tool.
    let isCommand: Bool
    let modules: Set<String>
    var isTest: Bool { !modules.isDisjoint(with: ["XCTest", "Testing"]) }

    init(_ text: String, path: String, configuration: Configuration, quietLoggers: Set<String>) {
        self.path = path
        self.configuration = configuration
        self.quietLoggers = quietLoggers
        tree = Self.parse(text)
        converter = SourceLocationConverter(fileName: path, tree: tree)
        modules = Set(tree.statements.compactMap { $0.item.as(ImportDeclSyntax.self)?.path.trimmedDescription })
        let isMain = path.split(separator: "/").last == "main.swift" && modules.isDisjoint(with: ["UIKit", "AppKit"])
        isCommand = modules.contains("ArgumentParser") || text.hasPrefix("#!") || isMain
    }

    /// Parses source code, which must not be nested too deeply.
    static func parse(_ text: String) -> SourceFileSyntax {
        // Raise the limit: by default, a debug build of the parser skips code that is nested deeper than 20 levels.
        var parser = Parser(text, maximumNestingLevel: Nesting.Limit.tokens)
        return SourceFileSyntax.parse(from: &parser)
    }

    /// Why the detectors can't read all code in the file; nil if they can.
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

    func line(of node: some SyntaxProtocol) -> Int { line(of: node.positionAfterSkippingLeadingTrivia) }

    func line(of position: AbsolutePosition) -> Int { converter.location(for: position).line }

    /// Returns a node's line and its column in Unicode scalars.
    func location(of node: some SyntaxProtocol) -> (line: Int, column: Int) {
        let location = converter.location(for: node.positionAfterSkippingLeadingTrivia)
        let before = converter.sourceLines[location.line - 1].utf8.prefix(location.column - 1)
        return (location.line, String(decoding: before, as: UTF8.self).unicodeScalars.count + 1)
    }

    /// Returns the name of the function or property around a node, qualified by its types, such as `Store.save`.
    func function(around node: some SyntaxProtocol) -> String {
        let names = node.ancestors.compactMap { node -> String? in
            switch node.as(SyntaxEnum.self) {
            case .initializerDecl: "init"
            case .deinitializerDecl: "deinit"
            case .extensionDecl(let type): type.extendedType.trimmedDescription
            // Include only properties, not the variables in functions.
            case .variableDecl(let variable) where variable.parent?.is(MemberBlockItemSyntax.self) == true:
                variable.bindings.first?.pattern.trimmedDescription
            default: node.asProtocol((any NamedDeclSyntax).self)?.name.text
            }
        }
        return names.reversed().joined(separator: ".")
    }

    /// The names that the file declares with a type that contains `Never`, such as publishers that never fail.
    private(set) lazy var neverFailing: Set<String> = {
        let names = tree.allTokens.filter { $0.text == "Never" }.compactMap { token in
            let stop = { (node: Syntax) in node.is(CodeBlockItemSyntax.self) }
            return token.enclosing(PatternBindingSyntax.self, upTo: stop)?.pattern.trimmedDescription
                ?? token.enclosing(FunctionDeclSyntax.self, upTo: stop)?.name.text
        }
        return Set(names)
    }()

    /// Returns whether a function is one of the project's own functions that report errors.
    func isReporter(_ callee: String) -> Bool {
        [configuration.reporters, configuration.loggers, configuration.handled].joined().contains { name in
            callee == name || callee.hasSuffix("." + name) || callee.hasPrefix(name + ".")
        }
    }
}
