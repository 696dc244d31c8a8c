import SwiftParser
import SwiftSyntax

/// A parsed file with the facts that the detectors need.
final class SourceText {
    let path: String
    let tree: SourceFileSyntax
    let configuration: Configuration
    let loggers: LoggerDefaults
    let converter: SourceLocationConverter
    /// Whether the file's output has a reader because the file is part of a command-line tool.
    let isCommand: Bool
    let isTest: Bool
    private(set) var modules: Set<String> = []

    init(_ text: String, path: String, configuration: Configuration, loggers: LoggerDefaults) {
        self.path = path
        self.configuration = configuration
        self.loggers = loggers
        tree = Self.parse(text)
        converter = SourceLocationConverter(fileName: path, tree: tree)
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

    /// Returns a node's line, and its column in Unicode scalars.
    func location(of node: some SyntaxProtocol) -> (line: Int, column: Int) {
        let location = converter.location(for: node.positionAfterSkippingLeadingTrivia)
        let before = converter.sourceLines[location.line - 1].utf8.prefix(location.column - 1)
        return (location.line, String(decoding: before, as: UTF8.self).unicodeScalars.count + 1)
    }

    func line(of position: AbsolutePosition) -> Int { converter.location(for: position).line }

    /// Returns the name of the function or property around a node, with the types around it: `Store.save`.
    func function(around node: some SyntaxProtocol) -> String {
        var names: [String] = []
        var current = node.parent
        while let parent = current {
            if let declaration = parent.asProtocol((any NamedDeclSyntax).self) { names.append(declaration.name.text) }
            if parent.is(InitializerDeclSyntax.self) { names.append("init") }
            if parent.is(DeinitializerDeclSyntax.self) { names.append("deinit") }
            if let type = parent.as(ExtensionDeclSyntax.self)?.extendedType { names.append(type.trimmedDescription) }
            // Not the variables in functions.
            if let variable = parent.as(VariableDeclSyntax.self), parent.parent?.is(MemberBlockItemSyntax.self) == true
            {
                names.append(variable.bindings.first?.pattern.trimmedDescription ?? "")
            }
            current = parent.parent
        }
        return names.reversed().joined(separator: ".")
    }

    /// The variables and functions that the file declares with a publisher that never fails.
    private(set) lazy var neverFailing: Set<String> = {
        let names = tree.tokens(viewMode: .sourceAccurate).compactMap { token -> String? in
            guard token.text == "Never" else { return nil }
            let stop = { (node: Syntax) in node.is(CodeBlockItemSyntax.self) }
            return token.enclosing(PatternBindingSyntax.self, upTo: stop)?.pattern.trimmedDescription
                ?? token.enclosing(FunctionDeclSyntax.self, upTo: stop)?.name.text
        }
        return Set(names)
    }()

    /// Returns whether the file declares a throwing function of a name.
    func declaresThrowing(_ name: String?) -> Bool {
        tree.tokens(viewMode: .sourceAccurate).lazy.compactMap { $0.parent?.as(FunctionDeclSyntax.self) }.contains {
            $0.name.text == name && $0.signature.effectSpecifiers?.throwsClause != nil
        }
    }

    /// Returns whether a call is a report by one of the project's own functions.
    func isReporter(_ callee: String) -> Bool {
        Configuration.names(configuration.reporters, callee) || Configuration.names(configuration.loggers, callee)
            || Configuration.names(configuration.handled, callee)
    }
}
