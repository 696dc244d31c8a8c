import SwiftParser
import SwiftSyntax

extension FunctionCallExprSyntax {
    /// The called function as written, without earlier arguments in parentheses: `store.orders.save`.
    var callee: String { calledExpression.dottedName }

    /// ``callee`` without the module and `init`: `Task` for `Swift.Task.init`.
    var plainCallee: String {
        let parts = callee.split(separator: ".")
        let first =
            parts.first.map { ["Swift", "_Concurrency", "Foundation", "Hummingbird", "Jobs"].contains($0) } ?? false
        return (first ? parts.dropFirst() : parts[...]).filter { $0 != "init" }.joined(separator: ".")
    }

    /// The last part of ``callee``: `save`.
    var name: String { callee.split(separator: ".").last.map(String.init) ?? "" }

    /// Returns the argument or trailing closure with a label.
    func argument(_ label: String) -> ExprSyntax? {
        arguments.first { $0.label?.text == label }?.expression
            ?? additionalTrailingClosures.first { $0.label.text == label }.map { ExprSyntax($0.closure) }
    }

    /// All closures among the arguments, each with its label.
    ///
    /// The first trailing closure has none.
    var closures: [(label: String?, closure: ClosureExprSyntax)] {
        arguments.compactMap { argument in
            argument.expression.as(ClosureExprSyntax.self).map { (argument.label?.text, $0) }
        } + (trailingClosure.map { [(nil, $0)] } ?? []) + additionalTrailingClosures.map { ($0.label.text, $0.closure) }
    }
}

extension ExprSyntax {
    /// The chain of names without subscripts, arguments, and question marks.
    var dottedName: String {
        if let reference = self.as(DeclReferenceExprSyntax.self) { return reference.baseName.text }
        if let member = self.as(MemberAccessExprSyntax.self) {
            let base = member.base?.dottedName ?? ""
            return base.isEmpty ? member.declName.baseName.text : base + "." + member.declName.baseName.text
        }
        if let call = self.as(FunctionCallExprSyntax.self) { return call.callee }
        if let chain = self.as(OptionalChainingExprSyntax.self) { return chain.expression.dottedName }
        if let unwrapped = self.as(ForceUnwrapExprSyntax.self) { return unwrapped.expression.dottedName }
        if let element = self.as(SubscriptCallExprSyntax.self) { return element.calledExpression.dottedName }
        if let generic = self.as(GenericSpecializationExprSyntax.self) { return generic.expression.dottedName }
        return ""
    }

    /// The expression without surrounding `try`, `await`, and parentheses.
    var bare: ExprSyntax {
        if let expression = self.as(TryExprSyntax.self) { return expression.expression.bare }
        if let expression = self.as(AwaitExprSyntax.self) { return expression.expression.bare }
        if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
            return only.expression.bare
        }
        return self
    }

    /// Whether it is nil, a Boolean, a number, or an empty string or collection.
    var isBareValue: Bool {
        if self.is(NilLiteralExprSyntax.self) || self.is(BooleanLiteralExprSyntax.self) { return true }
        if self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self) { return true }
        if let array = self.as(ArrayExprSyntax.self) { return array.elements.isEmpty }
        if let dictionary = self.as(DictionaryExprSyntax.self) { return dictionary.content.is(TokenSyntax.self) }
        if let tuple = self.as(TupleExprSyntax.self) { return tuple.elements.allSatisfy { $0.expression.isBareValue } }
        return self.as(StringLiteralExprSyntax.self)?.representedLiteralValue?.isEmpty == true
    }
}

extension ClosureExprSyntax {
    /// The names of the parameters in the body; `_` for an ignored one.
    var parameterNames: [String] {
        switch signature?.parameterClause {
        case .simpleInput(let list): list.map(\.name.text)
        case .parameterClause(let clause): clause.parameters.map { ($0.secondName ?? $0.firstName).text }
        case nil: []
        }
    }
}

extension SyntaxProtocol {
    /// Returns whether a closure, function, or `catch` declares a name for its body.
    ///
    /// A closure without parameter names declares `$0`.
    func declares(_ name: String) -> Bool {
        if let closure = self.as(ClosureExprSyntax.self) {
            let names = closure.parameterNames
            return names.isEmpty ? name.hasPrefix("$") : names.contains(name)
        }
        if let clause = self.as(CatchClauseSyntax.self) {
            return clause.catchItems.isEmpty ? name == "error" : clause.catchItems.boundNames.contains(name)
        }
        return self.as(FunctionDeclSyntax.self)?.signature.parameterClause.parameters.contains {
            ($0.secondName ?? $0.firstName).text == name
        } ?? false
    }

    /// Returns the closure or function around a node with a parameter of a name.
    func scope(declaring name: String) -> Syntax? {
        let found = enclosing { $0.is(FunctionDeclSyntax.self) || $0.declares(name) }
        return found?.declares(name) == true && found?.is(CatchClauseSyntax.self) == false ? found : nil
    }

    /// Returns the reads of a closure's or function's parameter, but not those of another variable with its name.
    func reads(of name: String) -> [TokenSyntax] {
        tokens(viewMode: .sourceAccurate).filter { token in
            guard token.text == name, let node = token.parent else { return false }
            let isRead =
                node.as(DeclReferenceExprSyntax.self).map { reference in
                    reference.parent?.as(MemberAccessExprSyntax.self)?.declName.id != reference.id
                }
                ?? (node.parent?.as(OptionalBindingConditionSyntax.self)?.initializer == nil
                    && node.parent?.is(OptionalBindingConditionSyntax.self) == true)
            return isRead && node.enclosing { $0.declares(name) }?.id == Syntax(self).id
        }
    }
}

extension CodeBlockItemSyntax {
    /// Whether it is the only expression of a closure, accessor, or function that returns a value, so that it is the
    /// returned value.
    var isValueOfItsBlock: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else { return false }
        if let function = list.parent?.parent?.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause != nil
        }
        return list.parent?.is(CodeBlockSyntax.self) == false
            || list.parent?.parent?.is(AccessorDeclSyntax.self) == true
    }
}

extension SyntaxProtocol {
    /// Returns the closest node of a type around this one, up to the surrounding function or closure.
    func enclosing<Node: SyntaxProtocol>(_: Node.Type, upTo stop: (Syntax) -> Bool = { _ in false }) -> Node? {
        var node = parent
        while let current = node {
            if let found = current.as(Node.self) { return found }
            if stop(current) { return nil }
            node = current.parent
        }
        return nil
    }

    /// Returns the closest node around this one that satisfies a condition.
    func enclosing(where condition: (Syntax) -> Bool) -> Syntax? {
        var node = parent
        while let current = node {
            if condition(current) { return current }
            node = current.parent
        }
        return nil
    }

    /// Whether a function, initializer, accessor, or closure begins here.
    var isScope: Bool {
        self.is(FunctionDeclSyntax.self) || self.is(InitializerDeclSyntax.self) || self.is(ClosureExprSyntax.self)
            || self.is(AccessorDeclSyntax.self) || self.is(DeinitializerDeclSyntax.self)
    }
}
