import SwiftSyntax

/// Says how likely a finding is a loss, by what stands there.
struct Scorer {
    struct Verdict {
        var score: Int
        var why: [String]
        /// Why it needs no report.
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
        if loss.isExpected { settle("only errors that the program expects come here") }
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

    /// The reason that a comment gives.
    private func explanation(of loss: Loss) -> String? {
        let line = file.line(of: loss.token)
        guard loss.kind != .optionalTry, loss.kind != .forcedTry, loss.kind != .task, let block = loss.block else {
            return comments.reason(at: line)
        }
        let end = block.parent.map { file.converter.location(for: $0.endPositionBeforeTrailingTrivia).line } ?? line
        return comments.reason(at: line, in: block, upTo: min(end, line + 12))
    }

    /// Why a failure of these calls needs no report.
    private func excuse(by tried: Tried, of loss: Loss) -> String? {
        let names = tried.callees.compactMap { $0.split(separator: ".").last.map(String.init) }
        let verbs = tried.verbs
        if !names.isEmpty, names.allSatisfy({ ["sleep", "checkCancellation", "gracefulShutdown"].contains($0) }) {
            return "only the end of the task ends a sleep"
        }
        if tried.callees.contains(where: {
            $0.hasSuffix("decode") || $0.hasSuffix("decodeIfPresent") || $0.hasSuffix("ontainer")
        }),
            tried.callees.contains(where: { Words.has($0, ["container", "decoder"]) && !$0.hasPrefix("JSONDecoder") })
                && isInDecoding(loss.token)
        {
            return "an optional probe of decoding"
        }
        if tried.callees.first?.hasPrefix("FileHandle.standard") == true {
            return "nobody is left to tell if standard error or output is closed"
        }
        if let future = loss.tried?.as(ExprSyntax.self), tried.callees.isEmpty, Words.has(future.dottedName, ["close"])
        {
            return "what is closed needs nobody any more"
        }
        let context = enclosingWords(of: loss.token)
        if loss.kind == .optionalTry, isOnErrorPath(loss.token) {
            return "it stands on an error path, whose first error is told"
        }
        if loss.token.enclosing(DeferStmtSyntax.self) != nil
            || loss.token.enclosing(DeinitializerDeclSyntax.self) != nil
        {
            return "clean-up at the end of a scope"
        }
        if !verbs.isEmpty, verbs.allSatisfy({ Words.cleansUp.contains($0) }) {
            return "clean-up: `\(names.last ?? "")`"
        }
        if let first = context.first, Words.cleansUp.contains(first), loss.kind != .task,
            verbs.allSatisfy({ !Words.changes.contains($0) })
        {
            return "it stands in a function that cleans up"
        }
        if loss.token.enclosing(MacroExpansionExprSyntax.self)?.macroName.text == "Preview"
            || loss.token.enclosing(MacroExpansionDeclSyntax.self)?.macroName.text == "Preview"
        {
            return "it stands in a preview"
        }
        if ["==", "hash", "description"].contains(where: { context == [$0] }) {
            return "a comparison or a description"
        }
        let areExpendable = tried.callees.allSatisfy { Words.has($0, Words.expendable) }
        if !names.isEmpty, areExpendable, Words.changes.isDisjoint(with: verbs) {
            return "it decorates, or can be made again"
        }
        if loss.kind != .task, !tried.words.isEmpty, !names.isEmpty, Self.isProbe(tried, names) {
            return "a probe, whose failing is an answer"
        }
        if loss.kind == .substitute, answersYesOrNo(loss), Words.changes.isDisjoint(with: verbs) {
            return "the function's answer is yes or no"
        }
        if tried.isConstant, names.last?.first?.isUppercase == true { return "its arguments are constants" }
        return nil
    }

    /// What moves the score, without deciding.
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
            notes.append(("what is written to the directory fails too", -15))
        }
        if loss.isPartlyTold { notes.append(("some errors are told, the others not", -5)) }
        if loss.kind == .optionalTry, isStatement(loss.token) { notes.append(("nobody looks at the nil", 10)) }
        if loss.token.enclosing(FunctionCallExprSyntax.self, upTo: \.isFunction)?.callee == "Task" {
            notes.append(("it stands in a task of its own", 5))
        }
        if let plan = plan(in: loss) { notes.append((plan, 15)) }
        if !tried.words.isDisjoint(with: Words.expendable) { notes.append(("it decorates, or can be made again", -15)) }
        let context = Set(enclosingWords(of: loss.token))
        if !context.isDisjoint(with: Words.expendable) { notes.append(("it stands in code for what decorates", -15)) }
        if !context.isDisjoint(with: ["is", "has", "can", "should", "check", "validate", "exists"]) {
            notes.append(("the function's answer is yes or no", -20))
        }
        if loss.kind == .forcedTry,
            !tried.words.isDisjoint(with: ["file", "url", "database", "contents", "connection", "data"])
        {
            notes.append(("it depends on a disk or a network", 20))
        }
        if loss.kind == .substitute, let block = loss.block, block.contains(where: { $0.description.contains("try ") })
        {
            notes.append(("another way is tried", -20))
        }
        return notes
    }

    /// A TODO in the block admits that something is missing.
    private func plan(in loss: Loss) -> String? {
        guard let text = loss.block?.parent?.description else { return nil }
        let admits = ["TODO", "FIXME", "handle error", "Handle error"].contains { text.contains($0) }
        return admits ? "a comment admits that the error is not handled yet" : nil
    }

    private static func isProbe(_ tried: Tried, _ names: [String]) -> Bool {
        let probed = ["resourceValues", "attributesOfItem", "checkResourceIsReachable", "destinationOfSymbolicLink"]
        if names.allSatisfy({ probed.contains($0) }) { return true }
        return names.allSatisfy { name in
            let words = Words.of(name)
            return words.first.map { Words.probes.contains($0) } ?? false
        }
    }

    private func isInDecoding(_ node: Syntax) -> Bool {
        var current = node.parent
        while let parent = current {
            if let initializer = parent.as(InitializerDeclSyntax.self) {
                return initializer.signature.parameterClause.parameters.first?.firstName.text == "from"
            }
            if parent.is(FunctionDeclSyntax.self) { return true }
            current = parent.parent
        }
        return false
    }

    /// The words of the name of the function or property round a node.
    private func enclosingWords(of node: Syntax) -> [String] {
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

    /// Whether a node stands in a `catch` that throws or tells, by which the first error is known.
    private func isOnErrorPath(_ node: Syntax) -> Bool {
        guard let clause = node.enclosing(CatchClauseSyntax.self, upTo: \.isFunction) else { return false }
        let names = Set(clause.catchItems.isEmpty ? ["error"] : clause.catchItems.flatMap(\.boundNames))
        return ErrorPaths(file: file).fate(of: clause.body.statements, names: names) == .told
    }

    /// Whether the block before `catch` returns true, and the `catch` returns false.
    private func answersYesOrNo(_ loss: Loss) -> Bool {
        func ends(_ list: CodeBlockItemListSyntax?, with value: String) -> Bool {
            list?.last?.item.as(ReturnStmtSyntax.self)?.expression?.trimmedDescription == value
        }
        let tried = loss.tried?.as(CodeBlockSyntax.self)?.statements
        return ends(tried, with: "true") && ends(loss.block, with: "false")
            || ends(tried, with: "false") && ends(loss.block, with: "true")
    }

    private func isStatement(_ node: Syntax) -> Bool {
        guard let parent = node.parent else { return false }
        if let item = parent.as(CodeBlockItemSyntax.self) { return !item.isValueOfItsBlock }
        return parent.as(ExprListSyntax.self)?.first?.is(DiscardAssignmentExprSyntax.self) ?? false
    }
}

extension Syntax {
    fileprivate var isFunction: Bool { self.is(FunctionDeclSyntax.self) || self.is(InitializerDeclSyntax.self) }
}
