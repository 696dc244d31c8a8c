import SwiftSyntax

/// Creates the code that a finding suggests.
///
/// The code compiles in the place of the reported code if `errors` is a bus or scope and `…` is replaced by the omitted
/// code.
enum Advice {
    /// Returns a `catch` clause that posts its error and keeps all statements except statements that only print.
    static func clause(_ clause: CatchClauseSyntax, in file: SourceText) -> String {
        let (head, name) = Self.head(of: clause)
        return "\(head) { \(posting(name, keeping: clause.body.statements, in: file)) }"
    }

    /// Returns the head of a clause that binds the error to a name, and the name.
    private static func head(of clause: CatchClauseSyntax) -> (text: String, name: String) {
        let any = ("catch", "error")
        guard let item = clause.catchItems.first, clause.catchItems.count == 1, let pattern = item.pattern else {
            return any
        }
        if let test = pattern.as(IsTypePatternSyntax.self) {
            let condition = item.whereClause.map { " \($0.trimmedDescription)" } ?? ""
            return ("catch let error as \(test.type.trimmedDescription)\(condition)", "error")
        }
        // Keep only the names in `let failure` and `let failure as Failure`: other patterns name parts of the error.
        let bound = pattern.as(ValueBindingPatternSyntax.self)?.pattern
        let cast = bound?.as(ExpressionPatternSyntax.self)?.expression.as(SequenceExprSyntax.self)?.elements
        let isCast = cast?.dropFirst().first?.is(UnresolvedAsExprSyntax.self) == true
        let named = isCast ? cast?.first?.as(PatternExprSyntax.self)?.pattern : bound
        guard let name = named?.as(IdentifierPatternSyntax.self)?.identifier.text else { return any }
        return ("catch \(item.trimmedDescription)", name)
    }

    /// Returns a statement that posts an error, followed by a block's statements that do more than print.
    ///
    /// It therefore keeps statements such as `return` and `continuation.resume(…)`.
    static func posting(_ name: String, keeping block: CodeBlockItemListSyntax, in file: SourceText) -> String {
        let kept = block.filter { statement in
            let call = statement.item.as(FunctionCallExprSyntax.self)
            return !statement.item.is(BreakStmtSyntax.self) && call.map { file.messageUse(of: $0) != .quiet } ?? true
        }.map(\.trimmedDescription)
        let rest = kept.contains { $0.contains(where: \.isNewline) } ? ["…"] : kept
        return (["postError(\(name))"] + rest).joined(separator: "; ")
    }

    /// Returns a closure with the given parameters that posts the parameter at an index.
    ///
    /// That parameter can be an optional error.
    static func closure(_ names: [String], error index: Int) -> String {
        var names = names
        if names[index] == "_" { names[index] = "error" }
        let name = names[index]
        return "{ \(names.joined(separator: ", ")) in if let \(name) = \(name) as (any Error)? { postError(\(name)) } }"
    }

    /// Returns the first line of some code, with `…` for the rest.
    static func oneLine(_ node: some SyntaxProtocol) -> String {
        let lines = node.trimmedDescription.split(whereSeparator: \.isNewline)
        guard lines.count > 1, let first = lines.first else { return node.trimmedDescription }
        return first.hasSuffix("{") ? "\(first) … }" : first.hasSuffix("(") ? "\(first)…)" : "\(first) …"
    }
}
