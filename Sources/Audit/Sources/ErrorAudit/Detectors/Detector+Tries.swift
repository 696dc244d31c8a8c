import SwiftSyntax

/// Finds losses in `try?` and `try!`.
extension Detector {
    /// Finds a `try!`, or a `try?` for which the failure isn't reported.
    func attempt(_ node: TryExprSyntax) -> Loss? {
        let code = Advice.oneLine(node.expression)
        let wait = node.expression.is(AwaitExprSyntax.self) ? "await " : ""
        var loss = Loss(kind: .forcedTry, token: Syntax(node), tried: Syntax(node.expression))
        switch node.questionOrExclamationMark?.tokenKind {
        case .exclamationMark:
            loss.bus = "guard let value = \(wait)catchingErrors({ try \(code) }) else { … }"
            loss.plain = "try \(code)"
        case .postfixQuestionMark:
            // Accept the bus's `rethrowing`: it posts the error before it throws the error.
            let call = node.expression.bare.as(FunctionCallExprSyntax.self)
            if let call, call.name == "rethrowing" || file.isReporter(call.callee) { return nil }
            guard !nilIsReported(of: Syntax(node)) else { return nil }
            loss.kind = .optionalTry
            loss.bus = "\(wait)errors.catching { try \(code) }"
            let isStatement = node.parent?.is(CodeBlockItemSyntax.self) == true
            loss.plain = "do { \(isStatement ? "" : "value = ")try \(code) } catch { logger.error(\"\\(error)\") }"
        default: return nil
        }
        return loss
    }

    /// Returns whether the code that receives the nil reports the failure.
    func nilIsReported(of node: Syntax) -> Bool {
        var current = node
        for parent in node.ancestors {
            switch parent.as(SyntaxEnum.self) {
            case .conditionElement(let condition): return branchReports(condition)
            case .patternBinding(let binding): return laterReports(binding)
            case .exprList(let list):
                let rest = list.drop { $0.id != current.id }.dropFirst()
                if rest.first?.trimmedDescription == "??", let other = rest.dropFirst().first,
                    ErrorUse(of: other, in: file).isReported
                {
                    return true
                }
            case .labeledExpr: guard parent.parent?.parent?.is(TupleExprSyntax.self) == true else { return false }
            case .labeledExprList, .initializerClause, .optionalBindingCondition: break
            default: guard parent.is(ExprSyntax.self), !parent.is(ClosureExprSyntax.self) else { return false }
            }
            current = parent
        }
        return false
    }

    /// Returns whether the branch for nil reports the failure: the `else` block of `guard let x = try? …` or `if let`.
    func branchReports(_ condition: ConditionElementSyntax) -> Bool {
        switch condition.parent?.parent?.as(SyntaxEnum.self) {
        case .guardStmt(let check): return reports(check.body.statements)
        case .ifExpr(let branch):
            if condition.condition.trimmedDescription.hasSuffix("== nil") { return reports(branch.body.statements) }
            return otherwiseReports(branch) || branch.elseBody == nil && restReports(after: branch)
        default: return false
        }
    }

    /// Returns whether a branch leaves its function and the code after the branch reports the failure.
    private func restReports(after branch: IfExprSyntax) -> Bool {
        guard let end = branch.body.statements.last?.item,
            end.is(ReturnStmtSyntax.self) || end.is(ThrowStmtSyntax.self)
        else { return false }
        // Skip further attempts to get a value, which are declarations and `if` statements. Examine only the first
        // other statement: later statements are unrelated.
        let rest = branch.enclosing(CodeBlockItemSyntax.self)?.nextStatements.drop {
            $0.item.is(VariableDeclSyntax.self) || $0.expression?.is(IfExprSyntax.self) == true
        }
        guard let next = rest?.first, !next.item.is(DoStmtSyntax.self) else { return false }
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
    private func reports(_ block: CodeBlockItemListSyntax) -> Bool { file.fate(of: block) == .reported }

    /// Returns whether one of the next statements reports the failure if a variable is nil.
    private func laterReports(_ binding: PatternBindingSyntax) -> Bool {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            let item = binding.parent?.parent?.parent?.as(CodeBlockItemSyntax.self)
        else { return false }
        for next in item.nextStatements.prefix(4) {
            let check = next.item.as(GuardStmtSyntax.self)
            let branch = next.expression?.as(IfExprSyntax.self)
            for condition in (check?.conditions ?? branch?.conditions ?? []).map(\.condition) {
                let text = condition.trimmedDescription
                let bound = condition.as(OptionalBindingConditionSyntax.self).map {
                    $0.initializer?.value.trimmedDescription ?? $0.pattern.trimmedDescription
                }
                if bound == name || text == "\(name) != nil" {
                    return check.map { reports($0.body.statements) } ?? branch.map(otherwiseReports) ?? false
                }
                if let branch, text == "\(name) == nil" { return reports(branch.body.statements) }
            }
        }
        return false
    }
}
