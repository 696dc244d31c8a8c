import SwiftSyntax

/// Finds `Task { … }` with a throwing operation and an unused value.
extension Detector {
    func task(_ call: FunctionCallExprSyntax) -> Loss? {
        let callee = call.plainCallee
        guard ["Task", "Task.detached", "Task.immediate", "Task.immediateDetached"].contains(callee) else { return nil }
        let operation = call.closures.first?.closure.statements
        let escapes = operation.map { Escapes(of: $0, in: file) }
        // `Task(operation: send)` with a throwing function of this file.
        let passed = operation == nil ? call.argument("operation") : nil
        let throwing = passed.map { file.declaresThrowing($0.dottedName.split(separator: ".").last.map(String.init)) }
        guard escapes.map({ $0.throwing > 0 }) ?? throwing ?? false, !Handle(file: file).isUsed(Syntax(call)) else {
            return nil
        }
        var loss = Loss(kind: .task, token: Syntax(call), tried: operation.map(Syntax.init) ?? passed.map(Syntax.init))
        loss.isSleep = escapes.map { $0.throwing == $0.sleeping } ?? false
        let code =
            operation.map { $0.count == 1 ? Self.oneLine($0) : "…" }
            ?? "try await \(passed?.trimmedDescription ?? "")()"
        loss.bus = callee == "Task" ? "errors.task { \(code) }" : "\(callee) { await errors.catching { \(code) } }"
        loss.plain = "\(callee) { do { \(code) } catch { logger.error(\"\\(error)\") } }"
        return loss
    }
}

/// Counts the locations from which errors leave a block.
struct Escapes {
    private(set) var throwing = 0
    /// The locations that throw only in a cancelled task.
    private(set) var sleeping = 0

    init(of node: some SyntaxProtocol, in file: SourceText) {
        let visitor = EscapeVisitor(file)
        visitor.walk(node)
        self = visitor.escapes
    }

    fileprivate init() {}
    fileprivate mutating func count(isSleep: Bool) {
        throwing += 1
        if isSleep { sleeping += 1 }
    }
}

private final class EscapeVisitor: SyntaxVisitor {
    var escapes = Escapes()
    private let file: SourceText

    init(_ file: SourceText) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind {
        if node.questionOrExclamationMark != nil { return .skipChildren }
        let name = node.expression.bare.as(FunctionCallExprSyntax.self)?.name ?? ""
        escapes.count(isSleep: name == "sleep" || name == "checkCancellation")
        return .visitChildren
    }

    override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
        if node.tryKeyword != nil { escapes.count(isSleep: false) }
        return .visitChildren
    }

    override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
        escapes.count(isSleep: node.expression.trimmedDescription == "CancellationError()")
        return .visitChildren
    }

    override func visit(_ node: DoStmtSyntax) -> SyntaxVisitorContinueKind {
        let catchesAll = node.catchClauses.contains { !Detector.isSpecific($0) }
        if !catchesAll { walk(node.body) }
        // Skip an error that is reported before it is rethrown: it isn't lost with the task.
        let isReported = node.catchClauses.contains { $0.throwing(in: file).contains { $0.before.isReported } }
        if !isReported { for clause in node.catchClauses { walk(clause.body) } }
        return .skipChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

/// Follows the value of a `Task { … }` expression.
struct Handle {
    let file: SourceText

    /// The members that return or throw the error.
    static let reads: Set = ["value", "result", "get"]

    /// Returns whether the task's error can be read: the value is awaited, returned, or passed to a call.
    func isUsed(_ node: Syntax) -> Bool {
        guard let parent = node.parent else { return false }
        if let member = parent.as(MemberAccessExprSyntax.self) {
            if Self.reads.contains(member.declName.baseName.text) { return true }
            // A member such as `.cancellable()` passes the task on in another form.
            if let call = member.parent?.as(FunctionCallExprSyntax.self), call.calledExpression.id == member.id {
                return isUsed(Syntax(call))
            }
            return false
        }
        if let binding = parent.parent?.as(PatternBindingSyntax.self), parent.is(InitializerClauseSyntax.self) {
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else { return false }
            let scope = node.enclosing(where: \.isScope) ?? Syntax(file.tree)
            return HandleUses.isRead(name, in: scope)
        }
        if let list = parent.as(ExprListSyntax.self), let sequence = list.parent?.as(SequenceExprSyntax.self) {
            let elements = Array(list)
            guard elements.count > 2, elements[1].is(AssignmentExprSyntax.self) else { return isUsed(Syntax(sequence)) }
            if elements[0].is(DiscardAssignmentExprSyntax.self) { return false }
            guard let name = elements[0].dottedName.split(separator: ".").last else { return false }
            return HandleUses.isRead(String(name), in: Syntax(file.tree))
        }
        if let closure = parent.parent?.parent?.as(ClosureExprSyntax.self), parent.is(CodeBlockItemSyntax.self) {
            return closure.statements.count == 1 && Self.returnsValue(closure)
        }
        if parent.is(CodeBlockItemSyntax.self) { return isLastOfBody(parent) }
        if let call = parent.parent?.parent?.as(FunctionCallExprSyntax.self), ["append", "insert"].contains(call.name),
            let collection = call.callee.split(separator: ".").dropLast().last
        {
            return HandleUses.isRead(String(collection), in: Syntax(file.tree))
        }
        if parent.is(ReturnStmtSyntax.self) || parent.is(LabeledExprSyntax.self) || parent.is(ArrayElementSyntax.self) {
            return !parent.is(LabeledExprSyntax.self)
                || parent.parent?.parent.map { !isWrapped($0) || isUsed($0) } ?? true
        }
        return parent.is(ExprSyntax.self) || parent.is(ExpressionStmtSyntax.self) ? isUsed(parent) : false
    }

    private func isWrapped(_ node: Syntax) -> Bool { node.as(TupleExprSyntax.self)?.elements.count == 1 }

    /// Returns whether a closure with one expression returns it.
    private static func returnsValue(_ closure: ClosureExprSyntax) -> Bool {
        if let type = closure.signature?.returnClause?.type.trimmedDescription { return type != "Void" && type != "()" }
        guard let call = closure.enclosing(FunctionCallExprSyntax.self, upTo: { $0.is(CodeBlockItemSyntax.self) })
        else {
            return false
        }
        return ["map", "compactMap", "flatMap", "reduce", "withLock", "withValue", "mutate", "init"].contains(call.name)
    }

    /// Returns whether an expression is the value of a function, or of a branch with a used value.
    private func isLastOfBody(_ item: Syntax) -> Bool {
        guard let list = item.parent, list.children(viewMode: .sourceAccurate).count == 1, let block = list.parent
        else {
            return false
        }
        if let function = block.parent?.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause.map { !["Void", "()"].contains($0.type.trimmedDescription) } ?? false
        }
        if block.is(AccessorBlockSyntax.self) { return true }
        if let branch = block.parent?.as(IfExprSyntax.self) { return isUsed(Syntax(branch)) }
        if let choice = block.parent?.parent?.as(SwitchExprSyntax.self), list.parent?.is(SwitchCaseSyntax.self) == true
        {
            return isUsed(Syntax(choice))
        }
        return false
    }
}

/// Finds reads of a variable with a task.
private final class HandleUses: SyntaxVisitor {
    private let name: String
    private var isRead = false

    static func isRead(_ name: String, in scope: Syntax) -> Bool {
        let uses = HandleUses(name)
        uses.walk(scope)
        return uses.isRead
    }

    private init(_ name: String) {
        self.name = name
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.baseName.text == name else { return .skipChildren }
        var value = Syntax(node)
        while let parent = value.parent {
            if let member = parent.as(MemberAccessExprSyntax.self) {
                // A property such as `isCancelled` has no error, but a call such as `removeFirst()` returns a task.
                let isBase = member.declName.id != value.id
                if isBase, Handle.reads.contains(member.declName.baseName.text) { isRead = true }
                let isCalled = member.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == member.id
                if isBase, isRead || !isCalled { return .skipChildren }
            } else if let call = parent.as(FunctionCallExprSyntax.self), call.calledExpression.id == value.id {
                // Accept `tasks.map { await $0.value }`.
                if ErrorUse.mentions(call, Handle.reads) { isRead = true }
            } else if !parent.is(OptionalChainingExprSyntax.self), !parent.is(ForceUnwrapExprSyntax.self),
                !parent.is(SubscriptCallExprSyntax.self)
            {
                break
            }
            value = parent
        }
        guard let parent = value.parent else { return .skipChildren }
        if let list = parent.as(ExprListSyntax.self) {
            // The right side of an assignment passes the task on. Comparisons don't.
            let elements = Array(list)
            let isSource = elements.count > 2 && elements[1].is(AssignmentExprSyntax.self) && elements[0].id != value.id
            if isSource, !elements[0].is(DiscardAssignmentExprSyntax.self) { isRead = true }
        } else if let loop = parent.as(ForStmtSyntax.self) {
            if ErrorUse.mentions(loop.body, Handle.reads) { isRead = true }
        } else if parent.is(LabeledExprSyntax.self) || parent.is(ReturnStmtSyntax.self)
            || parent.is(ArrayElementSyntax.self)
            || parent.is(InitializerClauseSyntax.self)
        {
            isRead = true
        }
        return .skipChildren
    }
}
