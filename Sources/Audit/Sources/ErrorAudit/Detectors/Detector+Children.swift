import SwiftSyntax

/// Finds child tasks that lose errors: `async let` and groups.
extension Detector {
    /// Finds an `async let` with a value that isn't awaited.
    func asyncLet(_ node: VariableDeclSyntax) -> Loss? {
        guard node.modifiers.contains(where: { $0.name.text == "async" }), let binding = node.bindings.first,
            let value = binding.initializer?.value, let item = Syntax(node).enclosing(CodeBlockItemSyntax.self),
            let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return nil }
        let names = Set(binding.pattern.boundNames)
        guard !list.contains(where: { $0.id != item.id && ErrorUse.mentions($0, names) }) else { return nil }
        let name = binding.pattern.trimmedDescription
        var loss = Loss(kind: .children, token: Syntax(node), tried: Syntax(value))
        // The parts of a tuple can't be named if the tuple is optional.
        let single = name == "_" ? "done" : binding.pattern.is(IdentifierPatternSyntax.self) ? name : "values"
        loss.bus = "async let \(single) = errors.catching { try await \(Self.oneLine(value.bare)) }"
        loss.plain = "try await \(name == "_" ? "done" : name)"
        return loss
    }

    /// Finds a throwing group if its body never reads its children's errors.
    func group(_ call: FunctionCallExprSyntax) -> Loss? {
        guard call.plainCallee == "withThrowingTaskGroup", let body = call.closures.last?.closure else { return nil }
        let name = body.parameterNames.first ?? "$0"
        let uses = GroupUses(name)
        uses.walk(body.statements)
        guard uses.hasThrowingChild, !uses.isRead else { return nil }
        var loss = Loss(kind: .children, token: Syntax(call), tried: Syntax(body.statements))
        // A group without a `try` mustn't begin to throw.
        let wait = "try await \(name).waitForAll()"
        let isTried = Syntax(call).enclosing(TryExprSyntax.self, upTo: { $0.is(CodeBlockItemSyntax.self) }) != nil
        loss.bus = isTried ? wait : "do { \(wait) } catch { postError(error) }"
        return loss
    }
}

/// The uses of a group in its body.
private final class GroupUses: SyntaxVisitor {
    private let name: String
    private(set) var hasThrowingChild = false
    private(set) var isRead = false

    private static let adding = Words.list(
        "addTask addTaskUnlessCancelled addImmediateTask addImmediateTaskUnlessCancelled async asyncUnlessCancelled")

    init(_ name: String) {
        self.name = name
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let isAdding = Self.adding.contains { node.callee == "\(name).\($0)" }
        if isAdding, let child = node.closures.first?.closure {
            if child.statements.contains(where: { $0.trimmedDescription.contains("try ") }) { hasThrowingChild = true }
        }
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.baseName.text == name else { return .visitChildren }
        // Any other use reads the results or passes the group.
        let member = node.parent?.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? ""
        if !Self.adding.contains(member), !["cancelAll", "isCancelled", "isEmpty"].contains(member) { isRead = true }
        return .visitChildren
    }
}
