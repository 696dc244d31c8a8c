import SwiftParser
import SwiftSyntax

extension SyntaxProtocol {
    /// The nodes that contain this node, innermost first.
    var ancestors: some Sequence<Syntax> { sequence(first: Syntax(self), next: \.parent).dropFirst() }

    /// Returns the innermost node of a type that contains this node, up to a node that meets a condition.
    func enclosing<Node: SyntaxProtocol>(_: Node.Type, upTo stop: (Syntax) -> Bool = { _ in false }) -> Node? {
        for node in ancestors {
            if let found = node.as(Node.self) { return found }
            if stop(node) { return nil }
        }
        return nil
    }

    /// The innermost call around this node in the same statement; for a closure, the call that receives it.
    var enclosingCall: FunctionCallExprSyntax? {
        enclosing(FunctionCallExprSyntax.self, upTo: { $0.is(CodeBlockItemSyntax.self) })
    }

    /// Whether this node is a function, initializer, deinitializer, accessor, or closure.
    var isScope: Bool {
        switch kind {
        case .functionDecl, .initializerDecl, .deinitializerDecl, .accessorDecl, .closureExpr: true
        default: false
        }
    }

    var allTokens: TokenSequence { tokens(viewMode: .sourceAccurate) }

    /// Visits this node and the nodes in it, outer nodes first.
    ///
    /// The visitor returns whether to visit the parts of a node too.
    func visit(_ visitor: (Syntax) -> Bool) {
        guard !self.is(TokenSyntax.self), visitor(Syntax(self)) else { return }
        for child in children(viewMode: .sourceAccurate) { child.visit(visitor) }
    }

    /// Returns the nodes of a type among this node and the nodes in it.
    func nodes<Node: SyntaxProtocol>(_: Node.Type, skipping skips: (Syntax) -> Bool = { _ in false }) -> [Node] {
        var found: [Node] = []
        visit { node in
            if let match = node.as(Node.self) { found.append(match) }
            return !skips(node)
        }
        return found
    }

    /// The names that the patterns in a node bind.
    var boundNames: [String] {
        nodes(IdentifierPatternSyntax.self) { $0.is(CodeBlockSyntax.self) }.map(\.identifier.text)
    }

    /// Returns whether the code mentions one of the given variables.
    func mentions(_ names: Set<String>) -> Bool {
        allTokens.contains { token in
            guard case .identifier(let text) = token.tokenKind else { return false }
            return names.contains(text)
        }
    }

    /// Returns whether this closure, function, or `catch` declares a name for its body.
    ///
    /// A closure without parameter names declares `$0`.
    func declares(_ name: String) -> Bool {
        switch Syntax(self).as(SyntaxEnum.self) {
        case .closureExpr(let closure):
            closure.parameterNames.isEmpty ? name.hasPrefix("$") : closure.parameterNames.contains(name)
        case .catchClause(let clause): clause.errorNames.contains(name)
        case .functionDecl(let function):
            function.signature.parameterClause.parameters.contains { ($0.secondName ?? $0.firstName).text == name }
        default: false
        }
    }

    /// Returns the closure or function around this node that declares a parameter with the given name.
    func scope(declaring name: String) -> Syntax? {
        let found = ancestors.first { $0.is(FunctionDeclSyntax.self) || $0.declares(name) }
        return found?.declares(name) == true && found?.is(CatchClauseSyntax.self) == false ? found : nil
    }

    /// Returns the tokens in this closure or function that read its parameter, but not another variable of that name.
    func reads(of name: String) -> [TokenSyntax] {
        allTokens.filter { token in
            guard token.text == name, let node = token.parent else { return false }
            // `if let name` reads the variable too.
            let isRead =
                node.as(DeclReferenceExprSyntax.self).map { !$0.isMember }
                ?? node.parent?.as(OptionalBindingConditionSyntax.self).map { $0.initializer == nil } ?? false
            return isRead && node.ancestors.first { $0.declares(name) }?.id == Syntax(self).id
        }
    }
}

extension FunctionCallExprSyntax {
    /// The called function as written, such as `store.orders.save`, without subscripts or the arguments of earlier
    /// calls.
    var callee: String { calledExpression.dottedName }

    /// The ``callee`` without the module and `init`, such as `Task` for `Swift.Task.init`.
    var plainCallee: String {
        let modules: Set = ["Swift", "_Concurrency", "Foundation", "Hummingbird", "Jobs"]
        let parts = callee.split(separator: ".").map(String.init)
        let names = parts.first.map(modules.contains) == true ? parts.dropFirst() : parts[...]
        return names.filter { $0 != "init" }.joined(separator: ".")
    }

    /// The last part of ``callee``, such as `save`.
    var name: String { calledExpression.lastName }

    /// Returns the argument or trailing closure with a label.
    func argument(_ label: String) -> ExprSyntax? {
        arguments.first { $0.label?.text == label }?.expression
            ?? additionalTrailingClosures.first { $0.label.text == label }.map { ExprSyntax($0.closure) }
    }

    /// All closures among the arguments, each with its label.
    ///
    /// The label of the first trailing closure is nil.
    var closures: [(label: String?, closure: ClosureExprSyntax)] {
        arguments.compactMap { argument in
            argument.expression.as(ClosureExprSyntax.self).map { (argument.label?.text, $0) }
        } + (trailingClosure.map { [(nil, $0)] } ?? []) + additionalTrailingClosures.map { ($0.label.text, $0.closure) }
    }
}

extension ExprSyntax {
    /// The chain of names without subscripts, arguments, and question marks.
    var dottedName: String {
        switch self.as(ExprSyntaxEnum.self) {
        case .declReferenceExpr(let node): node.baseName.text
        case .memberAccessExpr(let node):
            [node.base?.dottedName ?? "", node.declName.baseName.text].filter { !$0.isEmpty }.joined(separator: ".")
        case .functionCallExpr(let node): node.calledExpression.dottedName
        case .optionalChainingExpr(let node): node.expression.dottedName
        case .forceUnwrapExpr(let node): node.expression.dottedName
        case .subscriptCallExpr(let node): node.calledExpression.dottedName
        case .genericSpecializationExpr(let node): node.expression.dottedName
        default: ""
        }
    }

    /// The last part of ``dottedName``.
    var lastName: String { dottedName.split(separator: ".").last.map(String.init) ?? "" }

    /// The expression without surrounding `try`, `await`, and parentheses.
    var bare: ExprSyntax {
        switch self.as(ExprSyntaxEnum.self) {
        case .tryExpr(let node): node.expression.bare
        case .awaitExpr(let node): node.expression.bare
        case .tupleExpr(let node) where node.elements.count == 1: node.elements.first?.expression.bare ?? self
        default: self
        }
    }

    /// Whether the expression is nil, a Boolean, a number, an empty string or collection, or a tuple of these.
    var isBareValue: Bool {
        switch self.as(ExprSyntaxEnum.self) {
        case .nilLiteralExpr, .booleanLiteralExpr, .integerLiteralExpr, .floatLiteralExpr: true
        case .arrayExpr(let node): node.elements.isEmpty
        case .dictionaryExpr(let node): node.content.is(TokenSyntax.self)
        case .tupleExpr(let node): node.elements.allSatisfy(\.expression.isBareValue)
        case .stringLiteralExpr(let node): node.representedLiteralValue?.isEmpty == true
        default: false
        }
    }

    /// Returns whether the expression is the given Boolean literal.
    func isLiteral(_ value: Bool) -> Bool { self.as(BooleanLiteralExprSyntax.self)?.literal.text == "\(value)" }
}

extension SequenceExprSyntax {
    /// The sides of an assignment.
    var assignment: (target: ExprSyntax, value: [ExprSyntax])? {
        let elements = Array(elements)
        return elements.count > 2 && elements[1].is(AssignmentExprSyntax.self)
            ? (elements[0], Array(elements[2...])) : nil
    }
}

extension DeclReferenceExprSyntax {
    /// Whether the reference is the member in `base.member`, so it isn't a variable.
    var isMember: Bool { parent?.as(MemberAccessExprSyntax.self)?.declName.id == id }
}

extension ClosureExprSyntax {
    /// The names of the parameters in the body; `_` for an ignored parameter.
    var parameterNames: [String] {
        switch signature?.parameterClause {
        case .simpleInput(let list): list.map(\.name.text)
        case .parameterClause(let clause): clause.parameters.map { ($0.secondName ?? $0.firstName).text }
        case nil: []
        }
    }
}

extension CatchClauseSyntax {
    /// The names that the clause binds for the caught error.
    var errorNames: Set<String> { catchItems.isEmpty ? ["error"] : Set(catchItems.boundNames) }
}

extension CodeBlockItemSyntax {
    /// The expression that the item consists of, including an `if` that is parsed as a statement.
    var expression: ExprSyntax? { item.as(ExpressionStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self) }

    /// The item's own value, or the value that it returns.
    var value: ExprSyntax? { item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self) }

    /// The statements after this item in its block.
    var nextStatements: [CodeBlockItemSyntax] {
        Array((parent?.as(CodeBlockItemListSyntax.self) ?? []).drop { $0.id != id }.dropFirst())
    }

    /// Whether the item is the returned value because it is the only expression of its block.
    ///
    /// The block can belong to a closure, an accessor, or a function that returns a value.
    var isValueOfItsBlock: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else { return false }
        if let function = list.parent?.parent?.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause != nil
        }
        return list.parent?.is(CodeBlockSyntax.self) == false
            || list.parent?.parent?.as(AccessorDeclSyntax.self)?.accessorSpecifier.text == "get"
    }
}
