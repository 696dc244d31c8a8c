import SwiftSyntax

/// Finds callbacks and futures with unread errors.
extension Detector {
    static func isError(_ name: String) -> Bool {
        let words = Words.of(name)
        return words.last == "error" || name == "err" || name == "failure"
    }

    /// Finds a closure that ignores the error passed to it.
    func callback(_ closure: ClosureExprSyntax, label: String?, of call: FunctionCallExprSyntax) -> Loss? {
        let names = closure.parameterNames
        guard !names.isEmpty, call.name != "handleEvents", call.name != "sink" else { return nil }
        var loss = Loss(kind: .droppedResult, token: Syntax(closure), tried: Syntax(call.calledExpression))
        loss.block = closure.statements
        loss.bus = "{ error in postError(error) }"
        loss.plain = "{ error in logger.error(\"\\(error)\") }"
        if let error = names.first(where: Self.isError), names.count > 1 || closure.statements.isEmpty {
            guard !ErrorUse.reads(closure.statements, error) else { return nil }
            guard !ErrorUse(of: closure.statements, names: [], in: file).isReported else { return nil }
            loss.notes.append(("the closure never reads `\(error)`", 0))
            return loss
        }
        guard closure.statements.isEmpty, names.allSatisfy({ $0 == "_" }), call.name != "whenComplete" else {
            return nil
        }
        let role = Words.of(label ?? call.name)
        // Skip the handler of a new object, such as a button's action: it is called without an error.
        let isNew = call.name.first?.isUppercase == true
        guard
            !Set(role).isDisjoint(with: ["completion", "complete", "completed"]) || role.contains("handler") && !isNew
        else {
            return nil
        }
        loss.notes.append(("the closure ignores its argument, which might contain an error", -30))
        return loss
    }

    /// Finds a method such as `didFailWithError` that doesn't use its error.
    func delegate(_ function: FunctionDeclSyntax) -> Loss? {
        guard let body = function.body?.statements else { return nil }
        for parameter in function.signature.parameterClause.parameters {
            let label = Words.of(parameter.firstName.text)
            let name = (parameter.secondName ?? parameter.firstName).text
            guard label.first == "did", label.contains("error"), Words.has(parameter.type.trimmedDescription, ["error"])
            else { continue }
            guard !ErrorUse.reads(body, name) || paths.fate(of: body, names: [name]) == .printed else { return nil }
            guard !ErrorUse(of: body, names: [], in: file).isReported else { return nil }
            var loss = Loss(kind: .droppedResult, token: Syntax(function.funcKeyword), tried: nil, block: body)
            loss.bus = "postError(\(name))"
            loss.plain = "logger.error(\"\\(\(name))\")"
            return loss
        }
        return nil
    }

    /// Finds `whenComplete { _ in }`, and `future.whenSuccess { … }` without a handler for the failure.
    func future(_ call: FunctionCallExprSyntax) -> Loss? {
        guard let member = call.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base,
            let closure = call.closures.first?.closure
        else { return nil }
        let ignores =
            call.name == "whenComplete" && closure.parameterNames.first == "_"
            && !ErrorUse(of: closure.statements, names: [], in: file).isReported
        guard ignores || call.name == "whenSuccess" else { return nil }
        let scope = Syntax(call).enclosing(where: \.isScope) ?? Syntax(file.tree)
        let text = scope.trimmedDescription
        let receiver = base.trimmedDescription
        if ["whenFailure", "cascade", "cascadeFailure"].contains(where: { text.contains("\(receiver).\($0)") }) {
            return nil
        }
        var loss = Loss(
            kind: .droppedResult, token: Syntax(member.declName), tried: Syntax(base), block: closure.statements)
        loss.bus = "\(receiver).whenFailure { postError($0) }"
        loss.plain = "\(receiver).whenFailure { logger.error(\"\\($0)\") }"
        return loss
    }
}
