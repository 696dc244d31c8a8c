import SwiftParser
import SwiftSyntax

/// The calls that might throw.
struct Tried {
    /// The calls, each as `base.name`, with the outermost call of a chain first.
    private(set) var callees: [String] = []
    private(set) var isAwaited = false
    /// Whether there are arguments and all of them are literals.
    ///
    /// Then the outcome is the same in every run.
    var isConstant: Bool { areLiterals == true }
    /// All words in the calls' names.
    private(set) var words: Set<String> = []
    /// The labels of the arguments.
    private(set) var labels: Set<String> = []
    /// The words in the whole expression or block.
    private(set) var allWords: Set<String> = []
    private var areLiterals: Bool?

    /// The last part of each call's name.
    var names: [String] { callees.compactMap { $0.split(separator: ".").last.map(String.init) } }

    /// The calls' verbs: the first words of their names.
    var verbs: [String] {
        names.compactMap { name in Words.of(name).first { !["try", "async", "maybe", "and"].contains($0) } }
    }

    /// The calls that identify a finding, excluding calls that only compute another call's receiver.
    var identity: String {
        var calls: [String] = []
        for callee in callees where !calls.contains(callee) && calls.last?.hasPrefix(callee + ".") != true {
            calls.append(callee)
        }
        return calls.joined(separator: ", ")
    }

    init(_ node: Syntax?) {
        guard let node else { return }
        read(node, onlyTries: node.is(CodeBlockSyntax.self) || node.is(CodeBlockItemListSyntax.self))
        words = Set(callees.flatMap(Words.of))
        allWords = Set(Words.of(node.trimmedDescription))
        if callees.isEmpty, let value = node.as(ExprSyntax.self)?.bare {
            callees = [value.dottedName].filter { !$0.isEmpty }
        }
    }

    private mutating func read(_ node: Syntax, onlyTries: Bool) {
        node.visit { node in
            if node.is(AwaitExprSyntax.self) || node.as(ForStmtSyntax.self)?.tryKeyword != nil { isAwaited = true }
            guard let call = node.as(FunctionCallExprSyntax.self), !onlyTries || Self.isTried(call) else { return true }
            callees.append(call.callee)
            labels.formUnion(call.arguments.compactMap(\.label?.text))
            for value in call.arguments.map(\.expression) {
                let isLiteral =
                    value.isBareValue || value.is(RegexLiteralExprSyntax.self)
                    || value.as(StringLiteralExprSyntax.self)?.representedLiteralValue != nil
                    || value.as(MemberAccessExprSyntax.self).map { $0.base == nil } == true
                areLiterals = isLiteral && areLiterals != false
            }
            if onlyTries { return true }
            // Skip calls in the arguments, which run before the call itself.
            read(Syntax(call.calledExpression), onlyTries: false)
            for (_, closure) in call.closures { read(Syntax(closure.statements), onlyTries: false) }
            return false
        }
    }

    /// Returns whether a call is the direct operand of a `try`.
    private static func isTried(_ call: FunctionCallExprSyntax) -> Bool {
        let outer = call.enclosing(TryExprSyntax.self) { !$0.is(ExprSyntax.self) || $0.is(ClosureExprSyntax.self) }
        return outer.map { $0.questionOrExclamationMark == nil } ?? false
    }
}
