import SwiftSyntax

/// Computes from the code how likely a finding is a loss.
struct Scorer {
    struct Verdict {
        var score: Int
        var why: [String]
        /// Why the error needs no report; nil for a loss.
        var harmless: String?
    }

    let file: SourceText
    let comments: Comments

    func judge(_ loss: Loss) -> Verdict {
        let tried = Tried(loss.tried)
        var notes: [(why: String, points: Int)] = loss.notes
        var harmless = notes.first { $0.points <= -60 }?.why
        func settle(_ why: String) { if harmless == nil { harmless = why } }

        if loss.kind == .reportedTwice { settle("nothing is lost, but the error is reported twice") }
        if let reason = explanation(of: loss) { settle("a comment gives the reason: \(reason)") }
        if loss.isExpected { settle("only errors that the program expects arrive here") }
        if loss.kind == .forcedTry, tried.isConstant { settle("its arguments are constants") }
        if let why = self.excuse(by: tried, of: loss) { settle(why) }

        notes += weights(of: tried, loss)
        notes.append((loss.kind.summary, Self.base(loss.kind)))
        var score = notes.reduce(0) { $0 + $1.points }
        if harmless != nil { score = min(score - 40, 30) }
        var why = notes.filter { !$0.why.isEmpty && $0.points != 0 }
            .sorted { abs($0.points) > abs($1.points) }.map(\.why).filter { $0 != loss.kind.summary && $0 != harmless }
        why.insert(loss.kind.summary, at: 0)
        return Verdict(score: min(max(score, 0), 100), why: why, harmless: harmless)
    }

    private static func base(_ kind: Kind) -> Int {
        switch kind {
        case .task: 65
        case .emptyCatch: 55
        case .printOnly: 60
        case .droppedResult: 55
        case .children: 60
        case .optionalTry: 42
        case .substitute: 42
        case .forcedTry: 35
        case .noReason: 50
        case .reportedTwice: 20
        }
    }

    /// Returns the reason in a comment.
    private func explanation(of loss: Loss) -> String? {
        let line = file.line(of: loss.token)
        guard loss.kind != .optionalTry, loss.kind != .forcedTry, loss.kind != .task, let block = loss.block else {
            return comments.reason(at: line)
        }
        let end = block.parent.map { file.converter.location(for: $0.endPositionBeforeTrailingTrivia).line } ?? line
        return comments.reason(at: line, in: block, upTo: min(end, line + 12))
    }

    /// Returns facts that change the score but don't decide whether the error is lost.
    private func weights(of tried: Tried, _ loss: Loss) -> [(why: String, points: Int)] {
        var notes: [(why: String, points: Int)] = []
        if tried.isAwaited { notes.append(("it awaits work that can fail in many ways", 15)) }
        let verbs = tried.verbs
        if let verb = verbs.first(where: { Words.changes.contains($0) }) {
            notes.append(("`\(verb)` changes something", 15))
        } else if let verb = verbs.first(where: { Words.fetches.contains($0) }), loss.kind != .forcedTry {
            notes.append(("`\(verb)` reads from somewhere else", 5))
        }
        if tried.words.isSuperset(of: ["create", "directory"]) {
            notes.append(("later writes to the directory fail too", -15))
        }
        if loss.isPartlyReported { notes.append(("some errors are reported, but not all", -5)) }
        if loss.kind == .optionalTry, isStatement(loss.token) { notes.append(("the nil is ignored", 10)) }
        if loss.token.enclosing(FunctionCallExprSyntax.self, upTo: \.isFunction)?.callee == "Task" {
            notes.append(("it stands in a task of its own", 5))
        }
        if let plan = plan(in: loss) { notes.append((plan, 15)) }
        if !tried.words.isDisjoint(with: Words.expendable) {
            notes.append(("it only decorates, or can be created again", -15))
        }
        let context = Set(enclosingWords(of: loss.token))
        if !context.isDisjoint(with: Words.expendable) { notes.append(("it is in code that only decorates", -15)) }
        if !context.isDisjoint(with: ["is", "has", "can", "should", "check", "validate", "exists"]) {
            notes.append(("the function only returns yes or no", -20))
        }
        if loss.kind == .forcedTry,
            !tried.words.isDisjoint(with: ["file", "url", "database", "contents", "connection", "data"])
        {
            notes.append(("it depends on a disk or a network", 20))
        }
        if loss.kind == .substitute, let block = loss.block, block.contains(where: { $0.description.contains("try ") })
        {
            notes.append(("an alternative is tried", -20))
        }
        return notes
    }

    /// Returns a TODO in the block, which admits that something is missing.
    private func plan(in loss: Loss) -> String? {
        guard let text = loss.block?.parent?.description else { return nil }
        let admits = ["TODO", "FIXME", "handle error", "Handle error"].contains { text.contains($0) }
        return admits ? "a comment says that the error isn't handled yet" : nil
    }

    /// Returns the words in the name of the function or property around a node.
    func enclosingWords(of node: Syntax) -> [String] {
        var current = node.parent
        while let parent = current {
            if let function = parent.as(FunctionDeclSyntax.self) {
                let words = Words.of(function.name.text)
                return words.isEmpty ? [function.name.text] : words
            }
            if let variable = parent.as(VariableDeclSyntax.self),
                variable.parent?.parent?.parent?.is(MemberBlockSyntax.self) == true
            {
                return Words.of(variable.bindings.first?.pattern.trimmedDescription ?? "")
            }
            if parent.is(InitializerDeclSyntax.self) { return [] }
            current = parent.parent
        }
        return []
    }

    private func isStatement(_ node: Syntax) -> Bool {
        guard let parent = node.parent else { return false }
        if let item = parent.as(CodeBlockItemSyntax.self) { return !item.isValueOfItsBlock }
        return parent.as(ExprListSyntax.self)?.first?.is(DiscardAssignmentExprSyntax.self) ?? false
    }
}

extension Syntax {
    var isFunction: Bool { self.is(FunctionDeclSyntax.self) || self.is(InitializerDeclSyntax.self) }
}
