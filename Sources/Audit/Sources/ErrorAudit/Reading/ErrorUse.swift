import SwiftSyntax

/// The uses of an error in all branches of a piece of code.
struct ErrorUse {
    /// The names of the variables that hold the error or a value derived from it.
    var names: Set<String>
    /// Whether the code passes the error to a call or reports in some other way that something failed.
    var isReported = false
    /// Whether the code prints, or logs at debug level.
    var isPrinted = false
    /// Whether the code writes a message that reaches a reader or calls a reporter.
    var isLogged = false

    /// Creates an empty set of uses.
    init(names: Set<String>) { self.names = names }

    /// Reads a piece of code, except for nested functions.
    ///
    /// The variables with the given names hold the error before this code.
    init(of node: some SyntaxProtocol, names: Set<String> = [], in file: SourceText) {
        self.names = names
        node.visit { read($0, in: file) }
    }

    mutating func formUnion(_ other: Self) {
        isReported = isReported || other.isReported
        isPrinted = isPrinted || other.isPrinted
        isLogged = isLogged || other.isLogged
    }

    /// Reads one node and returns whether its parts can use the error too.
    private mutating func read(_ node: Syntax, in file: SourceText) -> Bool {
        switch node.as(SyntaxEnum.self) {
        case .functionCallExpr(let call):
            switch file.messageUse(of: call) {
            case .loud: (isReported, isLogged) = (true, true)
            case .quiet: isPrinted = true
            case .none:
                // Ignore haptic feedback: it doesn't report anything.
                if Words.has(call.callee, ["feedback", "haptic", "haptics", "vibrate"]) { return false }
                if Words.shows(call.name) { isReported = true }
                return true
            }
            return false
        case .declReferenceExpr(let reference):
            let name = reference.baseName.text
            if Words.indicatesFailure(name) || names.contains(name) && !reference.isMember { isReported = true }
        case .labeledExpr(let argument):
            if argument.expression.isBareValue, !argument.expression.isLiteral(true) { return false }
            guard let label = argument.label, Words.indicatesFailure(label.text) else { return true }
            // Skip a handler for another call's errors, because it isn't called here.
            if argument.expression.is(ClosureExprSyntax.self) { return false }
            isReported = true
        case .sequenceExpr(let sequence):
            guard let (target, values) = sequence.assignment, values.count == 1, let value = values.first else { break }
            // Ignore resets: `self.error = nil` and `isAlertShown = false` remove a message.
            if value.isLiteral(true) { return true }
            return value.isLiteral(false) ? !Words.indicatesFailure(target.lastName) : !value.isBareValue
        case .throwStmt: isReported = true
        case .variableDecl(let variable):
            // Track values that are derived from the error.
            for binding in variable.bindings {
                guard let value = binding.initializer?.value else { continue }
                let own = Self(of: value, names: names, in: file)
                if own.isLogged { (isReported, isLogged) = (true, true) }
                if own.isReported { names.formUnion(binding.pattern.identifiers) }
            }
            return false
        case .conditionElementList(let conditions):
            // Skip the conditions, because testing the error isn't a use of it.
            for case .optionalBinding(let binding) in conditions.map(\.condition)
            where binding.initializer?.value.mentions(names) == true {
                names.formUnion(binding.pattern.identifiers)
            }
            return false
        // Skip a closure with an error parameter, because it reports a different error.
        case .closureExpr(let closure): return !closure.parameterNames.contains(where: Words.isError)
        case .functionDecl, .closureCaptureList: return false
        default: break
        }
        return true
    }
}

extension PatternSyntax {
    /// The pattern's name if the pattern consists only of a name.
    fileprivate var identifiers: [String] { self.as(IdentifierPatternSyntax.self).map { [$0.identifier.text] } ?? [] }
}
