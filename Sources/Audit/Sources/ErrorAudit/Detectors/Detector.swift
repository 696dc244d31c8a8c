import SwiftSyntax

/// Applies the rules of each kind of loss to the syntax nodes of a file.
struct Detector {
    let file: SourceText
    let comments: Comments

    /// Returns the losses in a file.
    static func findings(in file: SourceText) -> [Finding] {
        guard !file.isTest || file.configuration.includeTests else { return [] }
        let detector = Self(file: file, comments: Comments(file))
        var findings: [Finding] = []
        file.tree.visit { node in
            for case let loss? in detector.losses(at: node) where !file.configuration.off.contains(loss.kind) {
                if let finding = detector.finding(loss) { findings.append(finding) }
            }
            return true
        }
        return findings
    }

    private func losses(at node: Syntax) -> [Loss?] {
        switch node.as(SyntaxEnum.self) {
        case .tryExpr(let node): [attempt(node)]
        case .doStmt(let node): node.catchClauses.map { catchClause($0, of: node) }
        case .functionCallExpr(let node):
            [task(node) ?? group(node) ?? publisher(node) ?? hook(node) ?? silentCall(node)]
                + node.closures.map { callback($0.closure, label: $0.label, of: node) }
        case .subscriptCallExpr(let node): [keychain(node)]
        case .switchExpr(let node): [failureCase(of: node)]
        case .ifExpr(let node):
            [
                failureBranch(node.conditions, node.body, else: node.elseBody, of: Syntax(node))
                    ?? quietBranch(node.conditions, else: node.elseBody?.as(CodeBlockSyntax.self), of: Syntax(node))
            ]
        case .guardStmt(let node):
            [
                failureBranch(node.conditions, node.body, of: Syntax(node), isGuard: true)
                    ?? quietBranch(node.conditions, else: node.body, of: Syntax(node))
            ]
        case .variableDecl(let node): [asyncLet(node)]
        case .initializerClause(let node): [defaultHook(node)]
        case .functionDecl(let node): [delegate(node)]
        default: []
        }
    }

    private func finding(_ loss: Loss) -> Finding? {
        let start = file.location(of: loss.token)
        let mark = comments.mark(at: start.line)
        guard mark != .harmless else { return nil }
        let tried = Tried(loss.tried)
        let verdict = judge(loss, tried)
        var finding = Finding(
            path: file.path, line: start.line, column: start.column,
            identity: Finding.Identity(
                path: file.path, kind: loss.kind, function: file.function(around: loss.token), call: tried.identity),
            score: verdict.score, why: verdict.why, harmless: verdict.harmless,
            instead: loss.instead(file.configuration.plain), edits: loss.edits)
        if mark == .withoutReason { finding.becomeNoReason() }
        return finding
    }
}

extension Finding {
    fileprivate mutating func becomeNoReason() {
        (identity.kind, score, why, harmless) = (.noReason, max(score, 50), [Kind.noReason.summary], nil)
        (instead, edits) = ("// error-audit: harmless, because …", [])
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
    /// Whether only errors that the program expects arrive here.
    var isExpected = false
    /// Whether only a sleep or a check for cancellation throws.
    var isSleep = false
    /// Whether only some errors, or the errors on only some paths, are reported.
    var isPartlyReported = false
    /// Further reasons, each with the points that it adds to the score.
    var notes: [(why: String, points: Int)] = []
    /// The suggested line, which uses the bus.
    var bus = ""
    /// The suggested line without the bus; nil to derive it from `bus` by replacing the post with a log call.
    var plain: String?
    var edits: [Edit] = []

    func instead(_ plainly: Bool) -> String {
        guard plainly else { return bus }
        return plain ?? bus.replacing(/postError\((.+?)\)(?=[ ;}]|$)/) { "logger.error(\"\\(\($0.1))\")" }
    }
}
