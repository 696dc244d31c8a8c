import SwiftSyntax

/// Finds callbacks with unread errors.
extension Detector {
    /// Functions whose closures this method doesn't check.
    ///
    /// Another method checks most of them. The closure of `on` isn't checked, because a rule may print an error.
    private static let handlers = Words.list(
        """
        catch catchError flatMapError flatMapErrorThrowing mapError on recover tryCatch whenFailure whenFailureBlocking
        """)
    /// The first words in the names of functions that call a closure for each element.
    private static let iterators = Words.list("compact enumerate filter flat for map merge on reduce")

    /// Finds a closure that ignores the error passed to it.
    func callback(_ closure: ClosureExprSyntax, label: String?, of call: FunctionCallExprSyntax) -> Loss? {
        let names = closure.parameterNames
        guard !names.isEmpty, call.name != "handleEvents", call.name != "sink" else { return nil }
        var loss = Loss(kind: .droppedResult, token: Syntax(closure), tried: Syntax(call.calledExpression))
        // Record the block only if it is empty: any other block does more than receive the error.
        if closure.statements.isEmpty { loss.block = closure.statements }
        let isWhenComplete = call.name.hasPrefix("whenComplete")
        loss.bus =
            isWhenComplete
            ? "{ result in if case .failure(let error) = result { postError(error) } }"
            : Advice.closure(names, error: names.firstIndex(where: Words.isError) ?? names.count - 1)
        // In `onError: { reason in … }`, the only argument is an error, regardless of its name.
        let isForErrors = names.count == 1 && label.map(Words.indicatesFailure) == true
        let error = names.first(where: Words.isError) ?? (isForErrors ? names.first { $0 != "_" } : nil)
        if let error, !Self.handlers.contains(call.name) {
            guard isUnread(error, of: closure, closure.statements) else { return nil }
            loss.notes.append(("the closure never shows `\(error)`", 0))
            return loss
        }
        // In `{ data, _ in guard let data else { return } }`, the last argument probably explains why `data` is nil.
        let verb = Words.of(call.name).first ?? ""
        if names.count > 1, names.last == "_", let value = names.first, value != "_", !Self.iterators.contains(verb),
            closure.signature?.returnClause == nil, let test = closure.reads(of: value).first?.parent?.optionalBinding
        {
            guard !branchReports(test) else { return nil }
            loss.notes.append(("the closure ignores its last argument, which may be an error", -15))
            return loss
        }
        guard names.allSatisfy({ $0 == "_" }), !ErrorUse(of: closure.statements, in: file).isReported else {
            return nil
        }
        let role = Words.of(label ?? call.name)
        let isCompletion = !Set(role).isDisjoint(with: ["completion", "complete", "completed"])
        // Skip a handler passed to an initializer, such as a button's action: it is called without an error.
        let isNew = call.name.first?.isUppercase == true || role.contains("action")
        let isAwaited = call.parent?.is(AwaitExprSyntax.self) == true || call.parent?.is(TryExprSyntax.self) == true
        let acts =
            [Words.changes, Words.fetches, Words.cleansUp].contains { $0.contains(verb) } && verb != "open"
            || call.name.lowercased().hasSuffix("task") || verb == "evaluate"
        let isHandler = !isNew && (role.contains("handler") || isForErrors || label == nil && acts && !isAwaited)
        // Skip an animation's completion: only calls that change or fetch something can complete with an error.
        let isEnd = isWhenComplete || label != nil && isCompletion && acts
        // In `{ _, _ in done() }`, the last of several ignored arguments is the error.
        let isPair =
            names.count > 1 && !isNew && !Self.iterators.contains(verb) && (isCompletion || isHandler)
            && Self.isAction(closure)
        guard isEnd || isPair || closure.statements.isEmpty && (isCompletion || isHandler) else { return nil }
        loss.notes.append(("the closure ignores its argument, which might contain an error", -30))
        return loss
    }

    /// Returns whether a closure neither throws nor returns a value.
    ///
    /// A route handler isn't an action, because it throws or returns a value.
    private static func isAction(_ closure: ClosureExprSyntax) -> Bool {
        let text = closure.statements.description
        guard !["try ", "throw ", "return "].contains(where: text.contains) else { return false }
        guard closure.statements.count == 1, let only = closure.statements.first?.item.as(ExprSyntax.self) else {
            return true
        }
        return only.bare.is(FunctionCallExprSyntax.self) || only.bare.is(SequenceExprSyntax.self)
    }

    /// Finds a method such as `didFailWithError` that doesn't use its error.
    func delegate(_ function: FunctionDeclSyntax) -> Loss? {
        let parameters = function.signature.parameterClause.parameters
        let isFailure = parameters.map { Words.of($0.firstName.text) }.contains {
            $0.first == "did" && ($0.contains("error") || $0.contains("fail"))
        }
        let failed = parameters.first { Words.has($0.type.trimmedDescription, ["error"]) }
        guard isFailure, let failed, let body = function.body?.statements else { return nil }
        let name = (failed.secondName ?? failed.firstName).text
        let isPartlyReported = file.fate(of: body, names: [name]) == .partlyReported
        guard isPartlyReported || isUnread(name, of: function, body) else { return nil }
        let test = isPartlyReported ? body.first { $0.mentions([name]) }.map(Syntax.init) : nil
        var loss = Loss(
            kind: .droppedResult, token: test ?? Syntax(function.funcKeyword), tried: nil, block: body)
        loss.isPartlyReported = isPartlyReported
        loss.bus = "postError(\(name == "_" ? "error" : name))"
        return loss
    }

    /// Returns whether code doesn't read an error parameter, or reads it only to print it.
    private func isUnread(_ name: String, of scope: some SyntaxProtocol, _ body: CodeBlockItemListSyntax) -> Bool {
        // Skip a tested error, because the test is a separate finding.
        let isTested = scope.reads(of: name).contains {
            $0.parent?.enclosing(ConditionElementSyntax.self, upTo: { $0.is(CodeBlockItemSyntax.self) }) != nil
        }
        return !isTested && !ErrorUse(of: body, names: [name], in: file).isReported
    }
}

extension Syntax {
    /// The condition that unwraps this variable, such as `guard let data` or `if let data = data`.
    fileprivate var optionalBinding: ConditionElementSyntax? {
        let binding = enclosing(OptionalBindingConditionSyntax.self) { $0.is(CodeBlockItemSyntax.self) }
        let value = binding?.initializer?.value.trimmedDescription ?? binding?.pattern.trimmedDescription
        return value == trimmedDescription ? binding?.parent?.as(ConditionElementSyntax.self) : nil
    }
}
