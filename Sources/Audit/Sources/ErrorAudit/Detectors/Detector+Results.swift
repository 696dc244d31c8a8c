import SwiftSyntax

/// Finds losses in uses of `Result` and of a callback's optional error.
extension Detector {
    /// Finds `switch result { … case .failure: break }`, or an empty `default` instead of a branch for the failure.
    func failureCase(of choice: SwitchExprSyntax) -> Loss? {
        guard !isSideEffect(Syntax(choice)), !isPassedOn(choice.subject) else { return nil }
        let branches = choice.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
        func named(_ name: String) -> [SwitchCaseSyntax] {
            branches.filter { branch in
                let items = branch.label.as(SwitchCaseLabelSyntax.self)?.caseItems
                return items?.contains { $0.whereClause == nil && $0.pattern.matchesAny(name) } == true
            }
        }
        // A branch for one error leaves the others to a later branch.
        var failures = named("failure")
        if failures.isEmpty, !named("success").isEmpty {
            failures = branches.filter { $0.label.is(SwitchDefaultLabelSyntax.self) }
        }
        // Accept a switch that only computes a Boolean, such as `isSuccess`.
        if branches.allSatisfy({ $0.statements.count == 1 && $0.statements.first.map(Self.isTruth) == true }) {
            return nil
        }
        return failures.lazy.compactMap { self.loss(in: $0, of: choice) }.first
    }

    private func loss(in failed: SwitchCaseSyntax, of choice: SwitchExprSyntax) -> Loss? {
        let bound = Set(Syntax(failed.label).boundNames)
        // Accept a branch that is a value: it shows the failure, for example as an image for a failed download.
        if bound.isEmpty, let only = failed.statements.first, failed.statements.count == 1, Self.isShown(only) {
            return nil
        }
        let fate = paths.fate(of: failed.statements, names: bound)
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

    /// Finds `if case .success(let x) = result` without handling the failure, and `if let error { return }`.
    func failureBranch(
        _ conditions: ConditionElementListSyntax,
        body: CodeBlockSyntax,
        else other: IfExprSyntax.ElseBody?,
        of node: Syntax,
        isGuard: Bool
    ) -> Loss? {
        guard !isSideEffect(node) else { return nil }
        for element in conditions {
            if let match = element.condition.as(MatchingPatternConditionSyntax.self) {
                let isSuccess = match.pattern.matchesAny("success", orOne: true)
                let isFailure = match.pattern.matchesAny("failure")
                let subject = match.initializer.value
                guard isSuccess || isFailure, !isPassedOn(subject), subject.trimmedDescription != "self" else {
                    continue
                }
                // Accept a test without a value: `guard case .success = result else { return false }`.
                if isGuard, isSuccess, match.pattern.boundNames.isEmpty, body.statements.first.map(Self.isBare) == true
                {
                    return nil
                }
                // Accept it: the code after `guard case .failure` handles the failure, and another `if` has its own
                // branch.
                if isGuard && isFailure || other?.is(IfExprSyntax.self) == true { return nil }
                let block = isGuard || isFailure ? body.statements : other?.as(CodeBlockSyntax.self)?.statements
                guard isUnreported(block, isFailure ? Set(match.pattern.boundNames) : []) else { return nil }
                return dropped(element, match.initializer.value, block, "error")
            }
            guard let (name, isAbsent) = errorParameter(tested: element.condition, isGuard: isGuard) else { continue }
            if isAbsent {
                // Accept `if error == nil { … }` if other code reads the error too.
                guard node.scope(declaring: name)?.reads(of: name).count == 1, other == nil else { continue }
                return dropped(element, nil, nil, name)
            }
            guard isUnreported(body.statements, [name]), !isPassed(name, around: node, upTo: node.position)
            else { continue }
            return dropped(element, nil, body.statements, name)
        }
        return nil
    }

    /// Returns whether a variable with a result is also returned or passed to a call, which then receives the failure
    /// too.
    ///
    /// A property's value is state that other code reads: `loader.state`, but not `response.result` of a callback.
    private func isPassedOn(_ subject: ExprSyntax) -> Bool {
        if let member = subject.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text != "result" }
        guard let name = subject.as(DeclReferenceExprSyntax.self)?.baseName.text else { return false }
        return isStored(name, Syntax(subject)) || isPassed(name, around: Syntax(subject))
    }

    /// Returns whether a name is a property of the type around a node.
    private func isStored(_ name: String, _ node: Syntax) -> Bool {
        guard node.scope(declaring: name) == nil, let members = node.enclosing(MemberBlockSyntax.self)?.members else {
            return false
        }
        return members.contains { member in
            member.decl.as(VariableDeclSyntax.self)?.bindings.first?.pattern.trimmedDescription == name
        }
    }

    /// Returns whether a variable is returned, or passed to a call that isn't just a debug line.
    private func isPassed(_ name: String, around node: Syntax, upTo end: AbsolutePosition? = nil) -> Bool {
        // Look outside a closure that doesn't declare the variable.
        let scope = node.enclosing { $0.isScope && (!$0.is(ClosureExprSyntax.self) || $0.declares(name)) }
        return (scope ?? Syntax(file.tree)).tokens(viewMode: .sourceAccurate).contains { token in
            guard token.text == name, end.map({ token.position < $0 }) ?? true,
                let use = token.parent?.as(DeclReferenceExprSyntax.self)?.parent
            else { return false }
            if use.is(ReturnStmtSyntax.self) { return true }
            guard use.is(LabeledExprSyntax.self) else { return false }
            return use.parent?.parent?.as(FunctionCallExprSyntax.self).map { file.messageUse(of: $0) != .quiet } ?? true
        }
    }

    private func isUnreported(_ block: CodeBlockItemListSyntax?, _ names: Set<String>) -> Bool {
        block.map { paths.fate(of: $0, names: names) != .reported } ?? true
    }

    private func dropped(
        _ element: ConditionElementSyntax,
        _ subject: ExprSyntax?,
        _ block: CodeBlockItemListSyntax?,
        _ name: String
    ) -> Loss {
        var loss = Loss(
            kind: .droppedResult, token: Syntax(element),
            tried: source(of: subject?.dottedName ?? name, at: element) ?? subject.map(Syntax.init), block: block)
        let head =
            subject.map { "if case .failure(let error) = \(Self.oneLine($0))" } ?? "if let \(name)"
        loss.bus = "\(head) { postError(\(name)) }"
        return loss
    }

    /// Returns the function that passes a variable to the closure around a node.
    private func source(of name: String, at node: some SyntaxProtocol) -> Syntax? {
        let closure = Syntax(node).scope(declaring: name)?.as(ClosureExprSyntax.self)
        return closure?.enclosing(FunctionCallExprSyntax.self, upTo: { $0.is(CodeBlockItemSyntax.self) }).map {
            Syntax($0.calledExpression)
        }
    }

    /// Returns a callback's error parameter if the condition tests whether there is an error, or whether there is none.
    private func errorParameter(
        tested condition: ConditionElementSyntax.Condition, isGuard: Bool
    ) -> (name: String, isAbsent: Bool)? {
        var name: String?
        var isAbsent = false
        if !isGuard, let binding = condition.as(OptionalBindingConditionSyntax.self) {
            name = (binding.initializer?.value.dottedName ?? binding.pattern.trimmedDescription)
        } else if let sequence = condition.as(SequenceExprSyntax.self) {
            let parts = sequence.elements.map(\.trimmedDescription)
            if parts.count == 3, parts[2] == "nil", !isGuard || parts[1] == "==" {
                name = parts[0]
                isAbsent = !isGuard && parts[1] == "=="
            }
        }
        guard let name, Self.isError(name), Syntax(condition).scope(declaring: name) != nil else { return nil }
        return (name, isAbsent)
    }

    /// Returns whether code only observes a publisher.
    ///
    /// The failure still reaches the publisher's subscriber.
    private func isSideEffect(_ node: Syntax) -> Bool {
        let closure = node.enclosing(ClosureExprSyntax.self, upTo: { $0.is(FunctionDeclSyntax.self) })
        return closure?.enclosing(FunctionCallExprSyntax.self, upTo: { $0.is(CodeBlockItemSyntax.self) })?.name
            == "handleEvents"
    }

    private static func isBare(_ item: CodeBlockItemSyntax) -> Bool {
        item.item.as(ReturnStmtSyntax.self)?.expression?.isBareValue == true
    }

    private static func isTruth(_ item: CodeBlockItemSyntax) -> Bool {
        let value = item.item.as(ReturnStmtSyntax.self)?.expression ?? item.item.as(ExprSyntax.self)
        return value?.is(BooleanLiteralExprSyntax.self) == true
    }

    /// Returns whether a `switch` branch is a value instead of an action.
    private static func isShown(_ item: CodeBlockItemSyntax) -> Bool {
        guard let value = item.item.as(ReturnStmtSyntax.self)?.expression ?? item.item.as(ExprSyntax.self) else {
            return false
        }
        // `Image(…).bold()`, `Color.red`, and `"—"` are values; `retry()`, `Task { … }`, and `Hud.hide()` aren't.
        if let call = value.as(FunctionCallExprSyntax.self) {
            var first = call
            while let base = first.calledExpression.as(MemberAccessExprSyntax.self)?.base?.bare,
                let earlier = base.as(FunctionCallExprSyntax.self)
            {
                first = earlier
            }
            let name = item.item.is(ReturnStmtSyntax.self) ? first.callee : first.name
            return name != "Task" && name.first?.isUppercase == true
        }
        return value.is(MemberAccessExprSyntax.self) || value.is(StringLiteralExprSyntax.self) && !value.isBareValue
    }
}

extension PatternSyntax {
    /// Returns whether it matches an enum case whatever its value: `.failure`, `let .failure(error)`, or
    /// `.response(.failure(_))`, but not `.failure(.notFound)`.
    ///
    /// - Parameter orOne: Whether a single value counts too.
    fileprivate func matchesAny(_ name: String, orOne: Bool = false) -> Bool {
        tokens(viewMode: .sourceAccurate).contains { token in
            guard token.text == name, let member = token.parent?.parent?.as(MemberAccessExprSyntax.self),
                member.declName.baseName.id == token.id
            else { return false }
            let call = member.parent?.as(FunctionCallExprSyntax.self)
            return orOne
                || call?.arguments.allSatisfy {
                    $0.expression.is(PatternExprSyntax.self) || $0.expression.is(DiscardAssignmentExprSyntax.self)
                } ?? true
        }
    }
}
