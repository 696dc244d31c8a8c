import SwiftSyntax

/// Finds losses in `try?` and `try!`.
extension Detector {
    func forcedTry(_ node: TryExprSyntax) -> Loss? {
        let code = Self.oneLine(node.expression)
        let isAsync = node.expression.is(AwaitExprSyntax.self)
        return Loss(
            kind: .forcedTry, token: Syntax(node), tried: Syntax(node.expression),
            bus: "guard let value = \(isAsync ? "await " : "")catchingErrors({ try \(code) }) else { … }",
            plain: "try \(code)")
    }

    func optionalTry(_ node: TryExprSyntax) -> Loss? {
        let call = node.expression.bare.as(FunctionCallExprSyntax.self)
        // Accept the bus's `rethrowing`: it posts the error before it throws.
        if let call, call.name == "rethrowing" || file.isReporter(call.callee) { return nil }
        guard !nilIsReported(of: node) else { return nil }
        let code = Self.oneLine(node.expression)
        let isAsync = node.expression.is(AwaitExprSyntax.self)
        var loss = Loss(kind: .optionalTry, token: Syntax(node), tried: Syntax(node.expression))
        loss.bus = (isAsync ? "await " : "") + "errors.catching { try \(code) }"
        let isStatement = node.parent?.is(CodeBlockItemSyntax.self) == true
        loss.plain = "do { \(isStatement ? "" : "value = ")try \(code) } catch { logger.error(\"\\(error)\") }"
        return loss
    }

    /// Returns the first line of some code, for a suggestion.
    static func oneLine(_ node: some SyntaxProtocol) -> String {
        let lines = node.trimmedDescription.split(whereSeparator: \.isNewline)
        guard lines.count > 1, let first = lines.first else { return node.trimmedDescription }
        return first.hasSuffix("{") ? "\(first) … }" : first.hasSuffix("(") ? "\(first)…)" : "\(first) …"
    }

    /// Returns whether the code that receives the nil reports the failure.
    private func nilIsReported(of node: TryExprSyntax) -> Bool {
        var current = Syntax(node)
        while let parent = current.parent {
            if let condition = parent.as(ConditionElementSyntax.self) { return branchReports(condition) }
            if let list = parent.as(ExprListSyntax.self), list.parent?.is(SequenceExprSyntax.self) == true {
                let elements = Array(list)
                let operands = elements.drop { $0.id != current.id }.dropFirst()
                if operands.first?.trimmedDescription == "??", let other = operands.dropFirst().first,
                    ErrorUse(of: other, names: [], in: file).isReported
                {
                    return true
                }
            }
            if let binding = parent.as(PatternBindingSyntax.self) { return laterReports(binding) }
            guard
                parent.is(ExprSyntax.self) || parent.is(ExprListSyntax.self) || parent.is(InitializerClauseSyntax.self)
                    || parent.is(OptionalBindingConditionSyntax.self)
                    || parent.is(LabeledExprListSyntax.self) && parent.parent?.is(TupleExprSyntax.self) == true
                    || parent.is(LabeledExprSyntax.self) && parent.parent?.parent?.is(TupleExprSyntax.self) == true
            else { return false }
            if parent.is(ClosureExprSyntax.self) { return false }
            current = parent
        }
        return false
    }

    /// Returns whether the branch for nil reports the failure: the `else` block of `guard let x = try? …` or `if let`.
    func branchReports(_ condition: ConditionElementSyntax) -> Bool {
        let owner = condition.parent?.parent
        if let check = owner?.as(GuardStmtSyntax.self) { return reports(check.body.statements) }
        guard let branch = owner?.as(IfExprSyntax.self) else { return false }
        let comparesWithNil = condition.condition.trimmedDescription.hasSuffix("== nil")
        if comparesWithNil { return reports(branch.body.statements) }
        return otherwiseReports(branch) || branch.elseBody == nil && restReports(after: branch)
    }

    /// Returns whether a branch leaves and the code after the branch reports the failure.
    private func restReports(after branch: IfExprSyntax) -> Bool {
        guard let end = branch.body.statements.last?.item,
            end.is(ReturnStmtSyntax.self) || end.is(ThrowStmtSyntax.self),
            let item = branch.enclosing(CodeBlockItemSyntax.self),
            let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return false }
        // Skip further attempts. Anything that follows the first other statement is about something else.
        let rest = list.drop { $0.id != item.id }.dropFirst().drop {
            $0.item.is(VariableDeclSyntax.self)
                || $0.item.as(ExpressionStmtSyntax.self)?.expression.is(IfExprSyntax.self) == true
        }
        guard let next = rest.first, !next.item.is(DoStmtSyntax.self) else { return false }
        return reports([next.detached])
    }

    private func otherwiseReports(_ branch: IfExprSyntax) -> Bool {
        switch branch.elseBody {
        case .codeBlock(let block): reports(block.statements)
        case .ifExpr(let next): otherwiseReports(next)
        case nil: false
        }
    }

    /// Returns whether a block reports that something failed.
    func reports(_ block: CodeBlockItemListSyntax) -> Bool {
        paths.fate(of: block, names: []) == .reported
    }

    /// Returns whether one of the next statements reports the failure if a variable is nil.
    private func laterReports(_ binding: PatternBindingSyntax) -> Bool {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            let item = binding.parent?.parent?.parent?.as(CodeBlockItemSyntax.self),
            let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return false }
        for next in list.drop(while: { $0.id != item.id }).dropFirst().prefix(4) {
            let statement = next.item.as(ExpressionStmtSyntax.self).map { Syntax($0.expression) } ?? Syntax(next.item)
            let conditions =
                statement.as(GuardStmtSyntax.self)?.conditions ?? statement.as(IfExprSyntax.self)?.conditions
            for condition in conditions ?? [] {
                let text = condition.condition.trimmedDescription
                let isBound =
                    condition.condition.as(OptionalBindingConditionSyntax.self).map {
                        ($0.initializer?.value.trimmedDescription ?? $0.pattern.trimmedDescription) == name
                    } ?? false
                if let check = statement.as(GuardStmtSyntax.self), isBound || text == "\(name) != nil" {
                    return reports(check.body.statements)
                }
                guard let branch = statement.as(IfExprSyntax.self) else { continue }
                if text == "\(name) == nil" { return reports(branch.body.statements) }
                if isBound || text == "\(name) != nil" { return otherwiseReports(branch) }
            }
        }
        return false
    }
}
