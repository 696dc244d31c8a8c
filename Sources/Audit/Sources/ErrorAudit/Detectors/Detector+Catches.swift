import SwiftSyntax

/// Finds `catch` clauses that lose errors.
extension Detector {
    private static let debugLines: Set = ["print", "debugPrint", "NSLog", "debug", "trace", "verbose", "log"]

    /// Finds a `catch` that doesn't report its error, that loses the cause, or that reports the error twice.
    func catchClause(_ clause: CatchClauseSyntax, of statement: DoStmtSyntax) -> Loss? {
        let body = clause.body.statements
        let names = clause.errorNames
        let fate = file.fate(of: body, names: names)
        var loss = Loss(kind: .substitute, token: Syntax(clause), tried: Syntax(statement.body), block: body)
        loss.isExpected = clause.isSpecific
        if fate == .reported {
            guard !loss.isExpected, causeIsLost(in: body, names) else { return reportedTwice(clause) }
            loss.kind = .causeLost
        }
        loss.isPartlyReported = fate == .partlyReported
        // Accept every reaction to an expected error that does more than leave the block.
        if loss.isExpected, fate == .partlyReported || !body.allSatisfy(Self.isMerelyAnEnd) { return nil }
        loss.bus = Advice.clause(clause, in: file)
        if body.isEmpty {
            loss.kind = .emptyCatch
        } else if fate == .printed {
            loss.kind = .printOnly
        }
        loss.edits = Fixes.edits(clause)
        return loss
    }

    /// Returns whether a block logs that something failed but never mentions the error.
    func causeIsLost(in block: CodeBlockItemListSyntax, _ names: Set<String>) -> Bool {
        guard ErrorUse(of: block, in: file).isLogged else { return false }
        return block.allTokens.allSatisfy { token in
            // In `logger.error`, `error` isn't the variable.
            let isMember = token.parent?.as(DeclReferenceExprSyntax.self)?.isMember == true
            if names.contains(token.text), !isMember { return false }
            // A `throw` or a call of the project's own reporters passes on the cause.
            let call = token.parent?.parent?.as(FunctionCallExprSyntax.self)
            return token.tokenKind != .keyword(.throw) && call.map { !file.isReporter($0.callee) } ?? true
        }
    }

    /// Returns a loss if the clause logs the error and then throws it.
    private func reportedTwice(_ clause: CatchClauseSyntax) -> Loss? {
        let twice = clause.throwing(in: file).first { thrown, before in
            (before.isLogged || before.isPrinted) && thrown.expression.mentions(clause.errorNames)
        }
        guard let thrown = twice?.thrown else { return nil }
        var loss = Loss(kind: .reportedTwice, token: Syntax(clause), tried: nil, block: clause.body.statements)
        let head = ["catch", clause.catchItems.trimmedDescription].filter { !$0.isEmpty }.joined(separator: " ")
        loss.bus = "\(head) { \(thrown.trimmedDescription) }"
        return loss
    }

    /// Returns whether a statement only leaves the block, sets a value, or writes a debug line.
    ///
    /// Examples are `break`, `return false`, and `orders = []`.
    private static func isMerelyAnEnd(_ item: CodeBlockItemSyntax) -> Bool {
        if item.item.is(BreakStmtSyntax.self) || item.item.is(ContinueStmtSyntax.self) { return true }
        // `await setOrders([])` sets a value.
        let setter = item.expression?.bare.as(FunctionCallExprSyntax.self)
        if let setter, !setter.arguments.isEmpty, setter.arguments.allSatisfy(\.expression.isBareValue) { return true }
        if item.description.contains("try ") || item.description.contains("await ") { return false }
        if let statement = item.item.as(ReturnStmtSyntax.self) {
            return statement.expression.map { $0.isBareValue || $0.is(DeclReferenceExprSyntax.self) } ?? true
        }
        guard let expression = item.expression else { return false }
        return expression.isBareValue || expression.is(SequenceExprSyntax.self)
            || expression.as(FunctionCallExprSyntax.self).map { debugLines.contains($0.name) } ?? false
    }
}

extension CatchClauseSyntax {
    /// Whether the clause catches only some errors.
    var isSpecific: Bool {
        let any = ["as NSError", "as Error", "as any Error", "as Swift.Error"]
        return !catchItems.isEmpty
            && catchItems.allSatisfy { item in
                if item.whereClause != nil { return true }
                guard let pattern = item.pattern else { return false }
                if let binding = pattern.as(ValueBindingPatternSyntax.self) {
                    guard let cast = binding.pattern.as(ExpressionPatternSyntax.self) else { return false }
                    return !any.contains(where: cast.expression.trimmedDescription.hasSuffix)
                }
                return !pattern.is(IdentifierPatternSyntax.self) && pattern.trimmedDescription != "_"
            }
    }

    /// Returns the first `throw` in each statement and the uses of the error in the statements before it.
    func throwing(in file: SourceText) -> [(thrown: ThrowStmtSyntax, before: ErrorUse)] {
        var before = ErrorUse(names: errorNames)
        return body.statements.compactMap { statement in
            if let thrown = statement.nodes(ThrowStmtSyntax.self, skipping: \.isScope).first { return (thrown, before) }
            // Skip assertions, and blocks that can handle their own errors, such as a cleanup.
            let isOther = statement.item.is(DoStmtSyntax.self) || statement.item.is(DeferStmtSyntax.self)
            if !isOther, !statement.item.is(DeclSyntax.self), !statement.trimmedDescription.hasPrefix("assert") {
                before.formUnion(ErrorUse(of: statement.item, names: errorNames, in: file))
            }
            return nil
        }
    }
}
