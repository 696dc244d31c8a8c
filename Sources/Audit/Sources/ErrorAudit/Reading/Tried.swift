import SwiftParser
import SwiftSyntax

/// The calls that might throw.
struct Tried {
    /// The calls, each as `base.name`, the outermost of a chain first.
    private(set) var callees: [String] = []
    private(set) var isAwaited = false
    /// Whether there are arguments, and all of them are literals, so that the outcome is the same in every run.
    var isConstant: Bool { hasArguments && areLiterals }
    /// All words of the calls' names.
    private(set) var words: Set<String> = []
    /// The labels of the arguments.
    private(set) var labels: Set<String> = []
    /// The words of the whole expression or block.
    private(set) var allWords: Set<String> = []
    private var hasArguments = false
    private var areLiterals = true

    /// The last part of each call's name.
    var names: [String] { callees.compactMap { $0.split(separator: ".").last.map(String.init) } }

    /// The calls' verbs: the first words of their names.
    var verbs: [String] {
        names.compactMap { name in Words.of(name).first { !["try", "async", "maybe", "and"].contains($0) } }
    }

    /// The calls without those that only compute another's receiver, for identifying a finding.
    var identity: String {
        var calls: [String] = []
        for callee in callees where calls.last.map({ !$0.hasPrefix(callee + ".") }) ?? true {
            if !calls.contains(callee) { calls.append(callee) }
        }
        return calls.joined(separator: ", ")
    }

    init(_ node: Syntax?) {
        guard let node else { return }
        let visitor = TriedVisitor(onlyTries: node.is(CodeBlockSyntax.self) || node.is(CodeBlockItemListSyntax.self))
        visitor.walk(node)
        self = visitor.tried
        for callee in callees { words.formUnion(Words.of(callee)) }
        allWords = Set(Words.of(node.trimmedDescription))
        if callees.isEmpty, let value = node.as(ExprSyntax.self)?.bare {
            callees = [value.dottedName].filter { !$0.isEmpty }
        }
    }

    fileprivate init() {}

    fileprivate mutating func add(_ call: FunctionCallExprSyntax) {
        callees.append(call.callee)
        for argument in call.arguments {
            hasArguments = true
            if let label = argument.label { labels.insert(label.text) }
            let value = argument.expression
            let isText = value.as(StringLiteralExprSyntax.self)?.representedLiteralValue != nil
            let isMember = value.as(MemberAccessExprSyntax.self).map { $0.base == nil } ?? false
            if !isText, !isMember, !value.isBareValue, !value.is(RegexLiteralExprSyntax.self) { areLiterals = false }
        }
    }

    fileprivate mutating func await() { isAwaited = true }
}

private final class TriedVisitor: SyntaxVisitor {
    var tried = Tried()
    private let onlyTries: Bool

    init(onlyTries: Bool) {
        self.onlyTries = onlyTries
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: AwaitExprSyntax) -> SyntaxVisitorContinueKind {
        tried.await()
        return .visitChildren
    }

    override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
        if node.tryKeyword != nil { tried.await() }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard !onlyTries || isTried(node) else { return .visitChildren }
        tried.add(node)
        if onlyTries { return .visitChildren }
        // Skip calls in the arguments, which run before the call itself.
        walk(node.calledExpression)
        for (_, closure) in node.closures { walk(closure.statements) }
        return .skipChildren
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
