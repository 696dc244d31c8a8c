import SwiftSyntax

/// Creates the code that a finding shows to write instead.
///
/// It compiles where the reported code stands, if `errors` is a bus or scope and `…` is replaced by what it leaves out.
enum Advice {
    /// Returns a `catch` clause that posts its error, and keeps the statements other than the printing ones.
    static func clause(_ clause: CatchClauseSyntax, in file: SourceText) -> String {
        let (head, name) = head(of: clause)
        return "\(head) { \(posting(name, keeping: clause.body.statements, in: file)) }"
    }

    /// Returns a head for a clause that names the error, and that name.
    static func head(of clause: CatchClauseSyntax) -> (text: String, name: String) {
        let any = ("catch", "error")
        guard let item = clause.catchItems.first, clause.catchItems.count == 1, let pattern = item.pattern else {
            return any
        }
        let condition = item.whereClause.map { " \($0.trimmedDescription)" } ?? ""
        if let test = pattern.as(IsTypePatternSyntax.self) {
            return ("catch let error as \(test.type.trimmedDescription)\(condition)", "error")
        }
        // Only `let failure` and `let failure as Failure` name the error; other patterns name its parts.
        guard let binding = pattern.as(ValueBindingPatternSyntax.self) else { return any }
        var bound = binding.pattern
        if let cast = bound.as(ExpressionPatternSyntax.self)?.expression.as(SequenceExprSyntax.self) {
            let elements = Array(cast.elements)
            guard elements.count > 1, elements[1].is(UnresolvedAsExprSyntax.self),
                let first = elements[0].as(PatternExprSyntax.self)
            else { return any }
            bound = first.pattern
        }
        guard let name = bound.as(IdentifierPatternSyntax.self)?.identifier.text else { return any }
        return ("catch \(item.trimmedDescription)", name)
    }

    /// Returns statements that post an error, followed by those of a block that do more than print it.
    ///
    /// So `return`, `continuation.resume(…)`, and the like aren't lost.
    static func posting(_ name: String, keeping block: CodeBlockItemListSyntax, in file: SourceText) -> String {
        let kept = Array(block).filter { statement in
            if statement.item.is(BreakStmtSyntax.self) { return false }
            guard let call = statement.item.as(FunctionCallExprSyntax.self) else { return true }
            return file.messageUse(of: call) != .quiet
        }.map(\.trimmedDescription)
        let rest = kept.contains { $0.contains(where: \.isNewline) } ? ["…"] : kept
        return (["postError(\(name))"] + rest).joined(separator: "; ")
    }

    /// Returns a closure with the same number of parameters that posts one of them.
    ///
    /// - Parameters:
    ///   - names: The closure's parameters.
    ///   - index: The index of the error, which might be optional.
    static func closure(_ names: [String], error index: Int) -> String {
        var names = names
        if names[index] == "_" { names[index] = "error" }
        let name = names[index]
        return "{ \(names.joined(separator: ", ")) in if let \(name) = \(name) as (any Error)? { postError(\(name)) } }"
    }
}
