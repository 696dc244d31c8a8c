import SwiftSyntax

/// What a piece of code does with an error, all its branches taken together.
struct ErrorUse {
    /// The names that hold the error, or what was made of it.
    var names: Set<String>
    /// Whether it hands the error to somebody, or says by other words that something failed.
    var isTold = false
    /// Whether it prints, or logs at debug level.
    var isPrinted = false
    /// Whether it logs or reports.
    var isLogged = false

    /// Reads a piece of code.
    ///
    /// - Parameters:
    ///   - node: The code. Nested functions are not read.
    ///   - names: The names that hold the error before it.
    ///   - file: The file that it is in.
    init(of node: some SyntaxProtocol, names: Set<String>, in file: SourceText) {
        let visitor = ErrorUseVisitor(names, file)
        visitor.walk(node)
        self = visitor.use
    }

    fileprivate init(names: Set<String>) { self.names = names }
}

private final class ErrorUseVisitor: SyntaxVisitor {
    var use: ErrorUse
    private let file: SourceText

    init(_ names: Set<String>, _ file: SourceText) {
        use = ErrorUse(names: names)
        self.file = file
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        switch file.telling(node) {
        case .loud:
            (use.isTold, use.isLogged) = (true, true)
            return .skipChildren
        case .quiet:
            use.isPrinted = true
            return .skipChildren
        case .none:
            // A buzz says nothing.
            if Words.has(node.callee, ["feedback", "haptic", "haptics", "vibrate"]) { return .skipChildren }
            if Words.shows(node.name) { use.isTold = true }
            return .visitChildren
        }
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.baseName.text
        if use.names.contains(name) {
            // `x.error` is another error than the one that `error` holds.
            let member = node.parent?.as(MemberAccessExprSyntax.self)
            if member?.declName.id != node.id || Words.tellsOfFailure(name) { use.isTold = true }
        } else if Words.tellsOfFailure(name) {
            use.isTold = true
        }
        return .visitChildren
    }

    override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
        if node.expression.isBareValue { return .skipChildren }
        if let label = node.label, Words.tellsOfFailure(label.text) { use.isTold = true }
        return .visitChildren
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let elements = Array(node.elements)
        guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self) else { return .visitChildren }
        if elements[0].is(DiscardAssignmentExprSyntax.self), elements[2].is(DeclReferenceExprSyntax.self) {
            return .skipChildren
        }
        // `self.error = nil` and `isAlertShown = false` take a message away.
        let target = elements[0].dottedName.split(separator: ".").last ?? ""
        let isOff = elements[2].as(BooleanLiteralExprSyntax.self)?.literal.text == "false"
        let isCleared = elements[2].isBareValue && !elements[2].is(BooleanLiteralExprSyntax.self)
        return isCleared || (isOff && Words.tellsOfFailure(target)) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
        use.isTold = true
        return .visitChildren
    }

    // What is made of the error stands for it.
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings {
            guard let value = binding.initializer?.value else { continue }
            let own = ErrorUse(of: value, names: use.names, in: file)
            if own.isLogged { (use.isTold, use.isLogged) = (true, true) }
            if own.isTold, let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
                use.names.insert(name)
            }
        }
        return .skipChildren
    }

    // A condition on the error is no use of it.
    override func visit(_ node: ConditionElementListSyntax) -> SyntaxVisitorContinueKind {
        for element in node {
            guard let binding = element.condition.as(OptionalBindingConditionSyntax.self),
                let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
                let value = binding.initializer?.value, ErrorUse.mentions(value, use.names)
            else { continue }
            use.names.insert(name)
        }
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureCaptureListSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension ErrorUse {
    /// Whether an expression names one of some variables.
    static func mentions(_ node: some SyntaxProtocol, _ names: Set<String>) -> Bool {
        node.tokens(viewMode: .sourceAccurate).contains { token in
            guard case .identifier(let text) = token.tokenKind else { return false }
            return names.contains(text)
        }
    }

    /// Whether some variable is read in a piece of code.
    static func reads(_ node: some SyntaxProtocol, _ name: String) -> Bool { mentions(node, [name]) }
}
