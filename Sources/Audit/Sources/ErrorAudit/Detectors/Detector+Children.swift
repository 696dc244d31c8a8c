import SwiftSyntax

/// Finds child tasks that lose errors, in `async let` and in task groups.
extension Detector {
    private static let additions = Words.list(
        "addTask addTaskUnlessCancelled addImmediateTask addImmediateTaskUnlessCancelled async asyncUnlessCancelled")

    /// Finds an `async let` whose value isn't awaited.
    func asyncLet(_ node: VariableDeclSyntax) -> Loss? {
        guard node.modifiers.contains(where: { $0.name.text == "async" }), let binding = node.bindings.first,
            let value = binding.initializer?.value, let item = node.enclosing(CodeBlockItemSyntax.self),
            let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return nil }
        let names = Set(binding.pattern.boundNames)
        guard !list.contains(where: { $0.id != item.id && $0.mentions(names) }) else { return nil }
        let name = binding.pattern.trimmedDescription
        var loss = Loss(kind: .children, token: Syntax(node), tried: Syntax(value))
        // Use one name for a tuple: the parts of an optional tuple can't be bound to names.
        let single = name == "_" ? "done" : binding.pattern.is(IdentifierPatternSyntax.self) ? name : "values"
        loss.bus = "async let \(single) = errors.catching { try await \(Advice.oneLine(value.bare)) }"
        loss.plain = "try await \(name == "_" ? "done" : name)"
        return loss
    }

    /// Finds a throwing group whose body never reads its children's errors.
    func group(_ call: FunctionCallExprSyntax) -> Loss? {
        guard call.plainCallee == "withThrowingTaskGroup", let body = call.closures.last?.closure else { return nil }
        let name = body.parameterNames.first ?? "$0"
        let hasThrowingChild = body.statements.nodes(FunctionCallExprSyntax.self).contains { child in
            guard Self.additions.contains(where: { child.callee == "\(name).\($0)" }) else { return false }
            return child.closures.first?.closure.statements.contains { $0.trimmedDescription.contains("try ") } == true
        }
        // Every use except these members either reads the results or passes the group on.
        let isRead = body.statements.nodes(DeclReferenceExprSyntax.self).contains { use in
            let member = use.parent?.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? ""
            return use.baseName.text == name
                && !Self.additions.union(["cancelAll", "isCancelled", "isEmpty"]).contains(member)
        }
        guard hasThrowingChild, !isRead else { return nil }
        var loss = Loss(kind: .children, token: Syntax(call), tried: Syntax(body.statements))
        // Handle the error here if the group is called without `try`, because such a call mustn't throw.
        let wait = "try await \(name).waitForAll()"
        let isTried = call.enclosing(TryExprSyntax.self, upTo: { $0.is(CodeBlockItemSyntax.self) }) != nil
        loss.bus = isTried ? wait : "do { \(wait) } catch { postError(error) }"
        return loss
    }
}
