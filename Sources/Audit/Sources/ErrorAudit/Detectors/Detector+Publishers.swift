import SwiftSyntax

/// Finds publishers, futures, and promises that lose errors.
extension Detector {
    func publisher(_ call: FunctionCallExprSyntax) -> Loss? {
        guard let member = call.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base else {
            return nil
        }
        var loss = Loss(kind: .droppedResult, token: Syntax(member.declName), tried: Syntax(base))
        switch call.name {
        case "sink":
            let isPair = call.argument("receiveValue") != nil
            let closures = call.closures
            guard isPair || call.argument("receiveCompletion") != nil, canFail(base),
                let completion = closures.first(where: {
                    $0.label == "receiveCompletion" || (isPair && $0.label == nil)
                })?.closure
            else { return nil }
            let name = completion.parameterNames.first ?? "$0"
            guard !ErrorUse.reads(completion.statements, name), !completion.statements.trimmedDescription.contains("$0")
            else {
                return nil
            }
            guard !ErrorUse(of: completion.statements, names: [], in: file).isReported else { return nil }
            loss.block = completion.statements
            loss.bus = "receiveCompletion: { if case .failure(let error) = $0 { postError(error) } }"
        case "replaceError", "catchAndReturn", "catchErrorJustReturn":
            let value = call.arguments.first?.expression
            guard value.map({ !ErrorUse(of: $0, names: [], in: file).isReported }) ?? true, canFail(base) else {
                return nil
            }
            let text = value.map { Self.oneLine($0) } ?? "…"
            loss.notes.append(("the failure becomes a value", 5))
            let substitute = call.name == "replaceError" ? "Just(\(text))" : ".just(\(text))"
            loss.bus = ".catch { postError($0); return \(substitute) }"
        case "catch", "catchError", "tryCatch", "recover", "flatMapError", "flatMapErrorThrowing", "whenFailure",
            "whenFailureBlocking":
            guard let closure = call.closures.first?.closure, call.closures.count == 1 else { return nil }
            let names = closure.parameterNames.isEmpty ? ["$0"] : closure.parameterNames
            let fate = paths.fate(of: closure.statements, names: Set(names))
            guard fate != .reported, canFail(base) else { return nil }
            loss.block = closure.statements
            let name = names.first.map { $0 == "_" || $0 == "$0" ? "error" : $0 } ?? "error"
            let usesDollar = closure.statements.tokens(viewMode: .sourceAccurate).contains { $0.text == "$0" }
            loss.bus =
                usesDollar
                ? ".\(call.name) { \(Advice.posting("$0", keeping: closure.statements, in: file)) }"
                : ".\(call.name) { \(name) in \(Advice.posting(name, keeping: closure.statements, in: file)) }"
        case "whenSuccess", "whenSuccessBlocking":
            guard let closure = call.closures.first?.closure else { return nil }
            let scope = Syntax(call).enclosing(where: \.isScope) ?? Syntax(file.tree)
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
    /// A chain that begins with `$property`, a notification, or what is declared with `Never`, and only maps, can't.
    private func canFail(_ chain: ExprSyntax) -> Bool {
        let names = chain.dottedName.split(separator: ".").map(String.init)
        let ends: Set = ["replaceError", "assertNoFailure", "catch"]
        let origin = names.lastIndex {
            $0.hasPrefix("$") || ["NotificationCenter", "Timer", "Just"].contains($0) || ends.contains($0)
                || file.neverFailing.contains($0)
        }
        guard let origin else { return true }
        return names[origin...].contains {
            $0.hasPrefix("try") || ["flatMap", "setFailureType", "decode"].contains($0)
        }
    }
}
