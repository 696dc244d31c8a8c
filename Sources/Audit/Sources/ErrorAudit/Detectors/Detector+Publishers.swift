import SwiftSyntax

/// Finds publishers, futures, and promises that lose errors.
extension Detector {
    /// Finds a call in a chain of operators that drops the chain's failure.
    func publisher(_ call: FunctionCallExprSyntax) -> Loss? {
        guard let member = call.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base else {
            return nil
        }
        var loss = Loss(kind: .droppedResult, token: Syntax(member.declName), tried: Syntax(base))
        let closures = call.closures
        var canFail: Bool { self.canFail(base) }
        switch call.name {
        case "sink":
            let hasValue = call.argument("receiveValue") != nil
            let completion = closures.first { $0.label == "receiveCompletion" || hasValue && $0.label == nil }?.closure
            guard let completion, canFail else { return nil }
            let name = completion.parameterNames.first ?? "$0"
            guard !completion.statements.mentions([name]), !completion.statements.trimmedDescription.contains("$0"),
                !ErrorUse(of: completion.statements, in: file).isReported
            else { return nil }
            loss.block = completion.statements
            loss.bus = "receiveCompletion: { if case .failure(let error) = $0 { postError(error) } }"
        case "replaceError", "catchAndReturn", "catchErrorJustReturn":
            let value = call.arguments.first?.expression
            guard value.map({ !ErrorUse(of: $0, in: file).isReported }) ?? true, canFail else { return nil }
            loss.notes.append(("the failure becomes a value", 5))
            let just = call.name == "replaceError" ? "Just" : ".just"
            loss.bus = ".catch { postError($0); return \(just)(\(value.map { Advice.oneLine($0) } ?? "…")) }"
        case "catch", "catchError", "tryCatch", "recover", "flatMapError", "flatMapErrorThrowing", "whenFailure",
            "whenFailureBlocking":
            guard let closure = closures.first?.closure, closures.count == 1 else { return nil }
            let names = closure.parameterNames.isEmpty ? ["$0"] : closure.parameterNames
            guard file.fate(of: closure.statements, names: Set(names)) != .reported, canFail else { return nil }
            loss.block = closure.statements
            let usesDollar = closure.statements.allTokens.contains { $0.text == "$0" }
            let name = usesDollar ? "$0" : names.first { $0 != "_" && $0 != "$0" } ?? "error"
            loss.bus =
                ".\(call.name) { \(usesDollar ? "" : "\(name) in ")"
                + "\(Advice.posting(name, keeping: closure.statements, in: file)) }"
        case "whenSuccess", "whenSuccessBlocking":
            guard let closure = closures.first?.closure else { return nil }
            let scope = call.ancestors.first(where: \.isScope) ?? Syntax(file.tree)
            let receiver = base.trimmedDescription
            let handlers = ["whenFailure", "whenComplete", "cascade", "cascadeFailure"].map { "\(receiver).\($0)" }
            guard !handlers.contains(where: scope.trimmedDescription.contains) else { return nil }
            loss.block = closure.statements
            loss.bus = "\(receiver).whenFailure { postError($0) }"
        default: return nil
        }
        return loss
    }

    /// Returns whether a chain of operators can fail.
    ///
    /// A chain can't fail if it begins with `$property`, a notification, or a publisher that is declared with `Never`,
    /// and then only maps values.
    private func canFail(_ chain: ExprSyntax) -> Bool {
        let names = chain.dottedName.split(separator: ".").map(String.init)
        let safe = file.neverFailing.union(
            ["NotificationCenter", "Timer", "Just", "replaceError", "assertNoFailure", "catch"])
        guard let origin = names.lastIndex(where: { $0.hasPrefix("$") || safe.contains($0) }) else { return true }
        return names[origin...].contains {
            $0.hasPrefix("try") || ["flatMap", "setFailureType", "decode"].contains($0)
        }
    }
}
