import SwiftSyntax

/// Finds a `Task { … }` whose operation throws and whose value isn't used.
extension Detector {
    private static let tasks: Set = ["Task", "Task.detached", "Task.immediate", "Task.immediateDetached"]
    /// The members that return or throw a task's error.
    private static let reads: Set = ["value", "result", "get"]
    /// The functions whose closure returns a value.
    private static let transforms = Words.list("compactMap flatMap init map mutate reduce withLock withValue")

    /// Finds a task from which an error can escape although its value isn't used.
    func task(_ call: FunctionCallExprSyntax) -> Loss? {
        let callee = call.plainCallee
        guard Self.tasks.contains(callee) else { return nil }
        let operation = call.closures.first?.closure.statements
        // In `Task(operation: send)`, the operation might be a throwing function that this file declares.
        let passed = operation == nil ? call.argument("operation") : nil
        let escapes = operation.map(escapes) ?? (passed.map(declaresThrowing) == true ? [false] : [])
        guard !escapes.isEmpty, !isUsed(Syntax(call)) else { return nil }
        var loss = Loss(kind: .task, token: Syntax(call), tried: operation.map(Syntax.init) ?? passed.map(Syntax.init))
        loss.isSleep = !escapes.contains(false)
        let code =
            operation.map { $0.count == 1 ? Advice.oneLine($0) : "…" }
            ?? "try await \(passed?.trimmedDescription ?? "")()"
        loss.bus = callee == "Task" ? "errors.task { \(code) }" : "\(callee) { await errors.catching { \(code) } }"
        loss.plain = "\(callee) { do { \(code) } catch { logger.error(\"\\(error)\") } }"
        return loss
    }

    private func declaresThrowing(_ function: ExprSyntax) -> Bool {
        file.tree.nodes(FunctionDeclSyntax.self).contains {
            $0.name.text == function.lastName && $0.signature.effectSpecifiers?.throwsClause != nil
        }
    }

    /// Returns a Boolean for each location where an error can leave a block.
    ///
    /// The Boolean is true if the location throws only in a cancelled task.
    private func escapes(from node: some SyntaxProtocol) -> [Bool] {
        var escapes: [Bool] = []
        node.visit { node in
            switch node.as(SyntaxEnum.self) {
            case .tryExpr(let node):
                if node.questionOrExclamationMark != nil { return false }
                let name = node.expression.bare.as(FunctionCallExprSyntax.self)?.name
                escapes.append(name == "sleep" || name == "checkCancellation")
            case .forStmt(let node): if node.tryKeyword != nil { escapes.append(false) }
            case .throwStmt(let node): escapes.append(node.expression.trimmedDescription == "CancellationError()")
            case .doStmt(let node):
                if node.catchClauses.allSatisfy(\.isSpecific) { escapes += self.escapes(from: node.body) }
                // Skip an error that is reported before it is rethrown, because it isn't lost.
                let isReported = node.catchClauses.contains { $0.throwing(in: file).contains { $0.before.isReported } }
                if !isReported { escapes += node.catchClauses.flatMap { self.escapes(from: $0.body) } }
                return false
            case .closureExpr, .functionDecl: return false
            default: break
            }
            return true
        }
        return escapes
    }

    /// Returns whether a task's error can be read because the task's value is awaited, returned, or passed to a call.
    ///
    /// The node is an expression that contains the task or a collection of tasks. If it reads a variable
    /// (`isVariable`), passing the variable on counts as a use.
    private func isUsed(_ node: Syntax, isVariable: Bool = false) -> Bool {
        guard let parent = node.parent else { return false }
        switch parent.as(SyntaxEnum.self) {
        case .memberAccessExpr(let member):
            guard member.declName.id != node.id else { return isUsed(parent, isVariable: isVariable) }
            let name = member.declName.baseName.text
            if Self.reads.contains(name) { return true }
            // A call such as `.cancellable()` or `removeFirst()` passes the task on. A property such as `isCancelled`
            // doesn't contain the error.
            let isCalled = member.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == member.id
            return isCalled && name != "cancel" && isUsed(parent, isVariable: isVariable)
        case .initializerClause:
            if isVariable { return true }
            let name = parent.parent?.as(PatternBindingSyntax.self)?.pattern.as(IdentifierPatternSyntax.self)?
                .identifier
            return isRead(name?.text, in: node.ancestors.first(where: \.isScope) ?? Syntax(file.tree))
        case .exprList:
            guard let sequence = parent.parent?.as(SequenceExprSyntax.self), let target = sequence.assignment?.target
            else { return !isVariable && parent.parent.map { isUsed($0) } == true }
            if target.id == node.id || target.is(DiscardAssignmentExprSyntax.self) { return false }
            return isVariable || isRead(target.lastName, in: Syntax(file.tree))
        case .labeledExpr:
            let outer = parent.parent?.parent
            let call = isVariable ? nil : outer?.as(FunctionCallExprSyntax.self)
            guard let call, ["append", "insert"].contains(call.name) else { return true }
            return isRead(call.callee.split(separator: ".").dropLast().last.map(String.init), in: Syntax(file.tree))
        case .returnStmt, .arrayElement: return true
        case .forStmt(let loop): return loop.body.mentions(Self.reads)
        case .codeBlockItem: return isResult(parent)
        default:
            let isPart = parent.is(ExprSyntax.self) || parent.is(ExpressionStmtSyntax.self)
            return isPart && isUsed(parent, isVariable: isVariable)
        }
    }

    /// Returns whether a variable that holds a task is read.
    private func isRead(_ name: String?, in scope: Syntax) -> Bool {
        scope.nodes(DeclReferenceExprSyntax.self).contains {
            $0.baseName.text == name && isUsed(Syntax($0), isVariable: true)
        }
    }

    /// Returns whether a statement is the value of a closure, of a function, or of a branch whose value is used.
    private func isResult(_ item: Syntax) -> Bool {
        guard let list = item.parent, list.children(viewMode: .sourceAccurate).count == 1, let block = list.parent
        else { return false }
        func isValue(_ clause: ReturnClauseSyntax) -> Bool { !["Void", "()"].contains(clause.type.trimmedDescription) }
        switch block.as(SyntaxEnum.self) {
        case .closureExpr(let closure):
            return closure.signature?.returnClause.map(isValue)
                ?? Self.transforms.contains(closure.enclosingCall?.name ?? "")
        case .switchCase: return block.parent?.parent.map { isUsed($0) } ?? false
        default:
            let function = block.parent?.as(FunctionDeclSyntax.self)
            let branch = block.parent?.as(IfExprSyntax.self)
            return function?.signature.returnClause.map(isValue) ?? branch.map { isUsed(Syntax($0)) } ?? false
        }
    }
}
