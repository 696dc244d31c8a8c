import SwiftParser
import SwiftSyntax

/// The calls that might throw.
struct Tried {
    /// The calls, each as `base.name`, the outermost of a chain first.
    private(set) var callees: [String] = []
    private(set) var isAwaited = false
    /// Whether every argument is a literal, so that the outcome is the same in every run.
    private(set) var isConstant = false
    /// All words of the calls' names and of their argument labels.
    private(set) var words: Set<String> = []

    /// The calls' verbs: the first words of their names.
    var verbs: [String] {
        callees.compactMap { callee in
            Words.of(callee.split(separator: ".").last ?? "").first { !["try", "async", "maybe", "and"].contains($0) }
        }
    }

    init(_ node: Syntax?) {
        guard let node else { return }
        let visitor = TriedVisitor(onlyTries: node.is(CodeBlockSyntax.self) || node.is(CodeBlockItemListSyntax.self))
        visitor.walk(node)
        callees = visitor.callees
        isAwaited = visitor.isAwaited
        isConstant = visitor.hasArguments && visitor.areLiterals
        for callee in callees { words.formUnion(Words.of(callee)) }
    }
}

private final class TriedVisitor: SyntaxVisitor {
    var callees: [String] = []
    var isAwaited = false
    var hasArguments = false
    var areLiterals = true
    private let onlyTries: Bool

    init(onlyTries: Bool) {
        self.onlyTries = onlyTries
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: AwaitExprSyntax) -> SyntaxVisitorContinueKind {
        isAwaited = true
        return .visitChildren
    }

    override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
        if node.tryKeyword != nil { isAwaited = true }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard !onlyTries || isTried(node) else { return .visitChildren }
        callees.append(node.callee)
        defer {
            // Skip calls in the arguments, which run before the call itself.
            if !onlyTries {
                walk(node.calledExpression)
                for (_, closure) in node.closures { walk(closure.statements) }
            }
        }
        for argument in node.arguments {
            hasArguments = true
            let value = argument.expression
            let isText = value.as(StringLiteralExprSyntax.self).map { $0.representedLiteralValue != nil } ?? false
            let isMember = value.as(MemberAccessExprSyntax.self).map { $0.base == nil } ?? false
            if !isText, !isMember, !value.isBareValue, !value.is(RegexLiteralExprSyntax.self) { areLiterals = false }
        }
        return onlyTries ? .visitChildren : .skipChildren
    }

    /// Returns whether a call is the direct operand of a `try`.
    private func isTried(_ call: FunctionCallExprSyntax) -> Bool {
        var node = call.parent
        while let current = node, current.is(ExprSyntax.self), !current.is(ClosureExprSyntax.self) {
            if let expression = current.as(TryExprSyntax.self) { return expression.questionOrExclamationMark == nil }
            node = current.parent?.is(ExprListSyntax.self) == true ? current.parent?.parent : current.parent
        }
        return false
    }
}
