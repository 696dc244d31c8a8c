import SwiftSyntax

/// Finds losses where code uses a `Result` or a callback's optional error.
extension Detector {
    /// Finds a `switch` with a lossy branch for the failure, such as `case .failure: break` or an empty `default`.
    func failureCase(of choice: SwitchExprSyntax) -> Loss? {
        guard !isSideEffect(Syntax(choice)), !isPassedOn(choice.subject) else { return nil }
        let branches = choice.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
        // Accept a switch that only computes a Boolean, such as `isSuccess`.
        let isBoolean = branches.allSatisfy {
            $0.statements.count == 1 && $0.statements.first?.value?.is(BooleanLiteralExprSyntax.self) == true
        }
        if isBoolean { return nil }
        // Ignore a branch for one specific error: it leaves the other errors to a later branch.
        var failures = branches.filter { $0.matchesAny("failure") }
        if failures.isEmpty, branches.contains(where: { $0.matchesAny("success") }) {
            failures = branches.filter { $0.label.is(SwitchDefaultLabelSyntax.self) }
        }
        return failures.lazy.compactMap { loss(in: $0, of: choice) }.first
    }

    private func loss(in failed: SwitchCaseSyntax, of choice: SwitchExprSyntax) -> Loss? {
        let bound = Set(Syntax(failed.label).boundNames)
        // Accept a branch whose value shows the failure, such as an image for a failed download.
        if bound.isEmpty, failed.statements.count == 1, failed.statements.first?.isShownValue == true { return nil }
        let fate = file.fate(of: failed.statements, names: bound)
        let isCauseLost = fate == .reported && causeIsLost(in: failed.statements, bound)
        guard fate != .reported || isCauseLost else { return nil }
        var loss = Loss(
            kind: isCauseLost ? .causeLost : .droppedResult, token: Syntax(failed),
            tried: source(of: choice.subject.dottedName, at: choice) ?? Syntax(choice.subject),
            block: failed.statements)
        loss.isPartlyReported = fate == .partlyReported
        if failed.statements.allSatisfy({ $0.item.is(BreakStmtSyntax.self) }) {
            loss.notes.append(("no code handles it", 8))
        }
        loss.bus = "case .failure(let error): \(Advice.posting("error", keeping: failed.statements, in: file))"
        return loss
    }

    /// Finds `if case .success(let x) = result` if the failure isn't handled, and `if let error { return }`.
    func failureBranch(
        _ conditions: ConditionElementListSyntax,
        _ body: CodeBlockSyntax,
        else other: IfExprSyntax.ElseBody? = nil,
        of node: Syntax,
        isGuard: Bool = false
    ) -> Loss? {
        guard !isSideEffect(node) else { return nil }
        for element in conditions {
            if let match = element.condition.as(MatchingPatternConditionSyntax.self) {
                let subject = match.initializer.value
                let isFailure = match.pattern.matchesAny("failure")
                let isSuccess = match.pattern.matchesAny("success", orOne: true)
                guard isSuccess || isFailure, !isPassedOn(subject), subject.trimmedDescription != "self" else {
                    continue
                }
                // Accept a test without a value: `guard case .success = result else { return false }`.
                let value = body.statements.first?.item.as(ReturnStmtSyntax.self)?.expression
                let isTest = isSuccess && match.pattern.boundNames.isEmpty && value?.isBareValue == true
                // Accept both forms: the code after `guard case .failure` handles the failure, and an `else if` is
                // checked as a separate branch.
                if isGuard && (isFailure || isTest) || other?.is(IfExprSyntax.self) == true { return nil }
                let block = isGuard || isFailure ? body.statements : other?.as(CodeBlockSyntax.self)?.statements
                let bound = isFailure ? Set(match.pattern.boundNames) : []
                if let block, file.fate(of: block, names: bound) == .reported { return nil }
                return dropped(element, subject, block, "error")
            }
            guard let (name, isAbsent) = errorParameter(tested: element.condition, isGuard: isGuard) else { continue }
            if isAbsent {
                // Accept `if error == nil { … }` if there is an `else`, or if other code reads the error too.
                guard node.scope(declaring: name)?.reads(of: name).count == 1, other == nil else { continue }
                return dropped(element, nil, nil, name)
            }
            guard file.fate(of: body.statements, names: [name]) != .reported,
                !isPassed(name, around: node, upTo: node.position)
            else { continue }
            return dropped(element, nil, body.statements, name)
        }
        return nil
    }

    /// Returns whether a variable that holds a result is also returned or passed to a call, so that other code receives
    /// the failure too.
    ///
    /// A property such as `loader.state` counts as passed, because other code reads it. A callback's `response.result`
    /// doesn't.
    private func isPassedOn(_ subject: ExprSyntax) -> Bool {
        if let member = subject.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text != "result" }
        guard let name = subject.as(DeclReferenceExprSyntax.self)?.baseName.text else { return false }
        return isPassed(name, around: Syntax(subject))
    }

    /// Returns whether a variable is returned or is passed to a call that isn't just a debug line.
    private func isPassed(_ name: String, around node: Syntax, upTo end: AbsolutePosition? = nil) -> Bool {
        // Look outside a closure that doesn't declare the variable.
        let scope = node.ancestors.first { $0.isScope && (!$0.is(ClosureExprSyntax.self) || $0.declares(name)) }
        return (scope ?? Syntax(file.tree)).allTokens.contains { token in
            guard token.text == name, end.map({ token.position < $0 }) ?? true,
                let use = token.parent?.as(DeclReferenceExprSyntax.self)?.parent
            else { return false }
            if use.is(ReturnStmtSyntax.self) { return true }
            guard use.is(LabeledExprSyntax.self) else { return false }
            return use.parent?.parent?.as(FunctionCallExprSyntax.self).map { file.messageUse(of: $0) != .quiet } ?? true
        }
    }

    private func dropped(
        _ element: ConditionElementSyntax,
        _ subject: ExprSyntax?,
        _ block: CodeBlockItemListSyntax?,
        _ name: String
    ) -> Loss {
        let tried = source(of: subject?.dottedName ?? name, at: element) ?? subject.map(Syntax.init)
        var loss = Loss(kind: .droppedResult, token: Syntax(element), tried: tried, block: block)
        let head = subject.map { "if case .failure(let error) = \(Advice.oneLine($0))" } ?? "if let \(name)"
        loss.bus = "\(head) { postError(\(name)) }"
        return loss
    }

    /// Returns the function that passes a variable to the closure that surrounds a node.
    private func source(of name: String, at node: some SyntaxProtocol) -> Syntax? {
        let closure = node.scope(declaring: name)?.as(ClosureExprSyntax.self)
        return (closure?.enclosingCall?.calledExpression).map(Syntax.init)
    }

    /// Returns a callback's error parameter if a condition tests whether the parameter is nil.
    private func errorParameter(
        tested condition: ConditionElementSyntax.Condition, isGuard: Bool
    ) -> (name: String, isAbsent: Bool)? {
        var name: String?
        var isAbsent = false
        if !isGuard, let binding = condition.as(OptionalBindingConditionSyntax.self) {
            name = binding.initializer?.value.dottedName ?? binding.pattern.trimmedDescription
        } else if let parts = condition.as(SequenceExprSyntax.self)?.elements.map(\.trimmedDescription),
            parts.count == 3, parts[2] == "nil", !isGuard || parts[1] == "=="
        {
            name = parts[0]
            isAbsent = !isGuard && parts[1] == "=="
        }
        guard let name, Words.isError(name), condition.scope(declaring: name) != nil else { return nil }
        return (name, isAbsent)
    }

    /// Returns whether a node is in a closure that only observes a publisher.
    ///
    /// The failure still reaches the publisher's subscriber.
    private func isSideEffect(_ node: Syntax) -> Bool {
        let closure = node.enclosing(ClosureExprSyntax.self, upTo: { $0.is(FunctionDeclSyntax.self) })
        return closure?.enclosingCall?.name == "handleEvents"
    }
}

extension CodeBlockItemSyntax {
    /// Whether the statement is a value instead of an action.
    ///
    /// `Image(…).bold()`, `Color.red`, and `"—"` are values; `retry()`, `Task { … }`, and `Hud.hide()` aren't.
    fileprivate var isShownValue: Bool {
        guard let value else { return false }
        guard let call = value.as(FunctionCallExprSyntax.self) else {
            return value.is(MemberAccessExprSyntax.self) || value.is(StringLiteralExprSyntax.self) && !value.isBareValue
        }
        var first = call
        while let base = first.calledExpression.as(MemberAccessExprSyntax.self)?.base?.bare,
            let earlier = base.as(FunctionCallExprSyntax.self)
        {
            first = earlier
        }
        let name = item.is(ReturnStmtSyntax.self) ? first.callee : first.name
        return name != "Task" && name.first?.isUppercase == true
    }
}

extension SwitchCaseSyntax {
    /// Returns whether the branch handles an enum case regardless of its associated value.
    fileprivate func matchesAny(_ name: String) -> Bool {
        label.as(SwitchCaseLabelSyntax.self)?.caseItems.contains {
            $0.whereClause == nil && $0.pattern.matchesAny(name)
        } == true
    }
}

extension PatternSyntax {
    /// Returns whether the pattern matches an enum case regardless of its associated value.
    ///
    /// For example, `.failure`, `let .failure(error)`, and `.response(.failure(_))` do, but `.failure(.notFound)`
    /// doesn't. If `orOne` is true, a pattern for one specific value counts too.
    fileprivate func matchesAny(_ name: String, orOne: Bool = false) -> Bool {
        nodes(MemberAccessExprSyntax.self).contains { member in
            guard member.declName.baseName.text == name else { return false }
            let call = member.parent?.as(FunctionCallExprSyntax.self)
            return orOne
                || call?.arguments.allSatisfy {
                    $0.expression.is(PatternExprSyntax.self) || $0.expression.is(DiscardAssignmentExprSyntax.self)
                } ?? true
        }
    }
}
