import SwiftSyntax

/// The uses of an error in a piece of code, in all its branches together.
struct ErrorUse {
    /// The names of variables with the error, or with a value derived from it.
    var names: Set<String>
    /// Whether it passes the error to a call, or reports in other words that something failed.
    var isReported = false
    /// Whether it prints or logs at debug level.
    var isPrinted = false
    /// Whether it logs or reports.
    var isLogged = false

    /// Reads a piece of code.
    ///
    /// - Parameters:
    ///   - node: The code. Nested functions are skipped.
    ///   - names: The names of variables with the error before this code.
    ///   - file: The file that contains the code.
    init(of node: some SyntaxProtocol, names: Set<String>, in file: SourceText) {
        let visitor = ErrorUseVisitor(names, file)
        visitor.walk(node)
        self = visitor.use
    }

    /// Creates the uses of code that doesn't use the error.
    init(names: Set<String>) { self.names = names }

    mutating func formUnion(_ other: Self) {
        isReported = isReported || other.isReported
        isPrinted = isPrinted || other.isPrinted
        isLogged = isLogged || other.isLogged
    }
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
        switch file.messageUse(of: node) {
        case .loud:
            (use.isReported, use.isLogged) = (true, true)
            return .skipChildren
        case .quiet:
            use.isPrinted = true
            return .skipChildren
        case .none:
            // Ignore haptic feedback: it doesn't report anything.
            if Words.has(node.callee, ["feedback", "haptic", "haptics", "vibrate"]) { return .skipChildren }
            if Words.shows(node.name) { use.isReported = true }
            return .visitChildren
        }
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.baseName.text
        if use.names.contains(name) {
            // Skip members: `x.error` isn't the variable `error`.
            let member = node.parent?.as(MemberAccessExprSyntax.self)
            if member?.declName.id != node.id || Words.indicatesFailure(name) { use.isReported = true }
        } else if Words.indicatesFailure(name) {
            use.isReported = true
        }
        return .visitChildren
    }

    override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
        let isTrue = node.expression.as(BooleanLiteralExprSyntax.self)?.literal.text == "true"
        if node.expression.isBareValue, !isTrue { return .skipChildren }
        guard let label = node.label, Words.indicatesFailure(label.text) else { return .visitChildren }
        // A handler for the errors of another call isn't called here.
        if node.expression.is(ClosureExprSyntax.self) { return .skipChildren }
        use.isReported = true
        return .visitChildren
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let elements = Array(node.elements)
        guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self) else { return .visitChildren }
        if elements[0].is(DiscardAssignmentExprSyntax.self), elements[2].is(DeclReferenceExprSyntax.self) {
            return .skipChildren
        }
        // Ignore resets: `self.error = nil` and `isAlertShown = false` remove a message.
        let target = elements[0].dottedName.split(separator: ".").last ?? ""
        let isOff = elements[2].as(BooleanLiteralExprSyntax.self)?.literal.text == "false"
        let isCleared = elements[2].isBareValue && !elements[2].is(BooleanLiteralExprSyntax.self)
        return isCleared || (isOff && Words.indicatesFailure(target)) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
        use.isReported = true
        return .visitChildren
    }

    // Track values that are derived from the error.
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings {
            guard let value = binding.initializer?.value else { continue }
            let own = ErrorUse(of: value, names: use.names, in: file)
            if own.isLogged { (use.isReported, use.isLogged) = (true, true) }
            if own.isReported, let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
                use.names.insert(name)
            }
        }
        return .skipChildren
    }

    // Skip conditions: testing the error isn't a use of it.
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

    // Skip a closure with an error parameter: it reports another error.
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        node.parameterNames.contains(where: Detector.isError) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureCaptureListSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension ErrorUse {
    /// Returns whether an expression mentions one of the given variables.
    static func mentions(_ node: some SyntaxProtocol, _ names: Set<String>) -> Bool {
        node.tokens(viewMode: .sourceAccurate).contains { token in
            guard case .identifier(let text) = token.tokenKind else { return false }
            return names.contains(text)
        }
    }

    /// Returns whether a piece of code reads a variable.
    static func reads(_ node: some SyntaxProtocol, _ name: String) -> Bool { mentions(node, [name]) }
}
