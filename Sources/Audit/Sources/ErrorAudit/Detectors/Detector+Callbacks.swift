import SwiftSyntax

/// Finds callbacks with unread errors.
extension Detector {
    /// Functions with a closure for the error that another method checks, and the bus's `on`: its rule may print.
    private static let handlers: Set = [
        "catch", "catchError", "flatMapError", "flatMapErrorThrowing", "mapError", "on", "recover", "tryCatch",
        "whenFailure", "whenFailureBlocking",
    ]
    /// The first words of functions with a closure for each element.
    private static let iterators: Set = [
        "compact", "enumerate", "filter", "flat", "for", "map", "merge", "on", "reduce",
    ]

    static func isError(_ name: String) -> Bool {
        let words = Words.of(name)
        return words.last == "error" || name == "err" || name == "failure"
    }

    /// Finds a closure that ignores the error passed to it.
    func callback(_ closure: ClosureExprSyntax, label: String?, of call: FunctionCallExprSyntax) -> Loss? {
        let names = closure.parameterNames
        guard !names.isEmpty, call.name != "handleEvents", call.name != "sink" else { return nil }
        var loss = Loss(kind: .droppedResult, token: Syntax(closure), tried: Syntax(call.calledExpression))
        // Only an empty closure is about the error alone.
        if closure.statements.isEmpty { loss.block = closure.statements }
        let position = names.firstIndex(where: Self.isError) ?? names.count - 1
        loss.bus =
            call.name.hasPrefix("whenComplete")
            ? "{ result in if case .failure(let error) = result { postError(error) } }"
            : Advice.closure(names, error: position)
        // The only argument of `onError: { reason in … }` is an error, whatever its name.
        let isForErrors = names.count == 1 && label.map { Words.indicatesFailure($0) } == true
        let error = names.first(where: Self.isError) ?? (isForErrors ? names.first { $0 != "_" } : nil)
        if let error, !Self.handlers.contains(call.name) {
            guard isUnread(error, of: closure, closure.statements) else { return nil }
            loss.notes.append(("the closure never shows `\(error)`", 0))
            return loss
        }
        // The last argument of `{ data, _ in guard let data else { return } }` is the reason why there are no data.
        let verb = Words.of(call.name).first ?? ""
        if names.count > 1, names.last == "_", let value = names.first, value != "_", !Self.iterators.contains(verb),
            closure.signature?.returnClause == nil, let test = closure.reads(of: value).first?.parent?.optionalBinding
        {
            guard !branchReports(test) else { return nil }
            loss.notes.append(("the closure ignores its last argument, which may be an error", -15))
            return loss
        }
        guard names.allSatisfy({ $0 == "_" }), !ErrorUse(of: closure.statements, names: [], in: file).isReported else {
            return nil
        }
        let role = Words.of(label ?? call.name)
        let isCompletion = !Set(role).isDisjoint(with: ["completion", "complete", "completed"])
        // Skip the handler of a new object, such as a button's action: it is called without an error.
        let isNew = call.name.first?.isUppercase == true || role.contains("action")
        let isAwaited = call.parent?.is(AwaitExprSyntax.self) == true || call.parent?.is(TryExprSyntax.self) == true
        let acts =
            [Words.changes, Words.fetches, Words.cleansUp].contains { $0.contains(verb) } && verb != "open"
            || call.name.lowercased().hasSuffix("task") || verb == "evaluate"
        let isHandler = !isNew && (role.contains("handler") || isForErrors || label == nil && acts && !isAwaited)
        // Skip the end of an animation: only calls that act complete with an error.
        let isEnd = call.name.hasPrefix("whenComplete") || label != nil && isCompletion && acts
        // The last of several ignored arguments is the error: `{ _, _ in done() }`.
        let isPair =
            names.count > 1 && !isNew && !Self.iterators.contains(verb) && (isCompletion || isHandler)
            && Self.isAction(closure) && call.arguments.first?.expression.is(StringLiteralExprSyntax.self) != true
        guard isEnd || isPair || closure.statements.isEmpty && (isCompletion || isHandler) else { return nil }
        loss.notes.append(("the closure ignores its argument, which might contain an error", -30))
        return loss
    }

    /// Returns whether a closure neither throws nor returns a value, as the handler of a route does.
    private static func isAction(_ closure: ClosureExprSyntax) -> Bool {
        let text = closure.statements.description
        guard !text.contains("try "), !text.contains("throw "), !text.contains("return ") else { return false }
        guard closure.statements.count == 1, let only = closure.statements.first?.item.as(ExprSyntax.self) else {
            return true
        }
        return only.bare.is(FunctionCallExprSyntax.self) || only.bare.is(SequenceExprSyntax.self)
    }

    /// Finds a method such as `didFailWithError` that doesn't use its error.
    func delegate(_ function: FunctionDeclSyntax) -> Loss? {
        guard let body = function.body?.statements else { return nil }
        for parameter in function.signature.parameterClause.parameters {
            let label = Words.of(parameter.firstName.text)
            let name = (parameter.secondName ?? parameter.firstName).text
            guard label.first == "did", label.contains("error"), Words.has(parameter.type.trimmedDescription, ["error"])
            else { continue }
            guard isUnread(name, of: function, body) else { return nil }
            var loss = Loss(kind: .droppedResult, token: Syntax(function.funcKeyword), tried: nil, block: body)
            loss.bus = "postError(\(name == "_" ? "error" : name))"
            return loss
        }
        return nil
    }

    /// Returns whether code never reads a parameter with an error, or only to print it.
    private func isUnread(_ name: String, of scope: some SyntaxProtocol, _ body: CodeBlockItemListSyntax) -> Bool {
        let reads = scope.reads(of: name)
        // Skip tests of the error: they are findings of their own.
        let isTested = reads.contains { $0.parent?.enclosing(ConditionElementSyntax.self, upTo: \.isStatement) != nil }
        return !isTested && !ErrorUse(of: body, names: [name], in: file).isReported
    }
}

extension Syntax {
    fileprivate var isStatement: Bool { self.is(CodeBlockItemSyntax.self) }

    /// The condition that unwraps this variable: `guard let data`, `if let data = data`.
    fileprivate var optionalBinding: ConditionElementSyntax? {
        guard let binding = enclosing(OptionalBindingConditionSyntax.self, upTo: \.isStatement) else { return nil }
        let value = binding.initializer.map { Syntax($0.value) } ?? Syntax(binding.pattern)
        return value.trimmedDescription == trimmedDescription ? binding.parent?.as(ConditionElementSyntax.self) : nil
    }
}
