import SwiftSyntax

/// Walks one file, and applies each kind's rules to the nodes that they are about.
final class Detector: SyntaxVisitor {
    let file: SourceText
    let comments: Comments
    let paths: ErrorPaths
    private(set) var findings: [Finding] = []

    init(_ file: SourceText) {
        self.file = file
        comments = Comments(file)
        paths = ErrorPaths(file: file)
        super.init(viewMode: .sourceAccurate)
    }

    /// Returns the losses in a file.
    static func findings(in file: SourceText) -> [Finding] {
        guard !file.isTest || file.configuration.includeTests else { return [] }
        let detector = Detector(file)
        detector.walk(file.tree)
        return detector.findings
    }

    override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.questionOrExclamationMark?.tokenKind {
        case .postfixQuestionMark: add(optionalTry(node))
        case .exclamationMark: add(forcedTry(node))
        default: break
        }
        return .visitChildren
    }

    override func visit(_ node: DoStmtSyntax) -> SyntaxVisitorContinueKind {
        for clause in node.catchClauses { add(catchClause(clause, of: node)) }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        add(task(node) ?? group(node) ?? publisher(node) ?? hook(node))
        for (label, closure) in node.closures { add(callback(closure, label: label, of: node)) }
        return .visitChildren
    }

    override func visit(_ node: SwitchExprSyntax) -> SyntaxVisitorContinueKind {
        add(failureCase(of: node))
        return .visitChildren
    }

    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        add(failureBranch(node.conditions, body: node.body, else: node.elseBody, of: Syntax(node), isGuard: false))
        return .visitChildren
    }

    override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        add(failureBranch(node.conditions, body: node.body, else: nil, of: Syntax(node), isGuard: true))
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        add(asyncLet(node))
        return .visitChildren
    }

    override func visit(_ node: InitializerClauseSyntax) -> SyntaxVisitorContinueKind {
        add(defaultHook(node))
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        add(delegate(node))
        return .visitChildren
    }

    private func add(_ loss: Loss?) {
        guard let loss, !file.configuration.off.contains(loss.kind) else { return }
        let start = file.location(of: loss.token)
        let mark = comments.mark(at: start.line)
        guard mark != .harmless else { return }
        let tried = Tried(loss.tried)
        let verdict = Scorer(file: file, comments: comments).judge(loss, tried)
        let identity = Finding.Identity(
            path: file.path, kind: mark == .withoutReason ? .noReason : loss.kind,
            function: file.function(around: loss.token), call: tried.identity)
        var finding = Finding(
            path: file.path, line: start.line, column: start.column, identity: identity, score: verdict.score,
            why: verdict.why, harmless: verdict.harmless, instead: loss.instead(file.configuration.plain),
            edits: loss.edits)
        if mark == .withoutReason {
            finding = Finding(
                path: file.path, line: start.line, column: start.column, identity: identity,
                score: max(verdict.score, 50), why: [Kind.noReason.summary], harmless: nil,
                instead: "// error-audit: harmless, because …", edits: [])
        }
        findings.append(finding)
    }
}

/// A rule's result before it is scored.
struct Loss {
    var kind: Kind
    /// The location of the loss.
    let token: Syntax
    /// The failing code: the expression after `try?`, or the block before `catch`.
    let tried: Syntax?
    /// The block that receives the error and loses it.
    var block: CodeBlockItemListSyntax?
    /// Whether only some errors arrive here, which the program expects.
    var isExpected = false
    /// Whether only a sleep or a check for cancellation throws.
    var isSleep = false
    /// Whether some errors, or the errors of some paths, are reported.
    var isPartlyReported = false
    /// Further facts, each with the points that it adds to the score.
    var notes: [(why: String, points: Int)] = []
    /// The line to write instead.
    var bus = ""
    /// The line without the bus; if it is nil, the one with the bus, but with a logger.
    var plain: String?
    var edits: [Edit] = []

    func instead(_ plainly: Bool) -> String {
        guard plainly else { return bus }
        return plain ?? bus.replacing(/postError\((.+?)\)/) { "logger.error(\"\\(\($0.1))\")" }
    }
}
