import SwiftSyntax

/// Finds reasons why an error needs no report.
extension Scorer {
    /// Returns the reason why a failure of these calls needs no report; nil if there is none.
    func excuse(by tried: Tried, of loss: Loss) -> String? {
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
            return "decoding only checks whether the value has this form"
        }
        if tried.callees.first?.hasPrefix("FileHandle.standard") == true {
            return "if standard error or output is closed, there is nobody to notify"
        }
        if let future = loss.tried?.as(ExprSyntax.self), tried.callees.isEmpty, Words.has(future.dottedName, ["close"])
        {
            return "a connection that is being closed is no longer needed"
        }
        let context = enclosingWords(of: loss.token)
        if loss.kind == .optionalTry, isOnErrorPath(loss.token) {
            return "it is on an error path, and the first error is reported"
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
            return "it is in a function that cleans up"
        }
        if loss.token.enclosing(MacroExpansionExprSyntax.self)?.macroName.text == "Preview"
            || loss.token.enclosing(MacroExpansionDeclSyntax.self)?.macroName.text == "Preview"
        {
            return "it is in a preview"
        }
        if ["==", "hash", "description"].contains(where: { context == [$0] }) {
            return "a comparison or a description"
        }
        let areExpendable = tried.callees.allSatisfy { Words.has($0, Words.expendable) }
        if !names.isEmpty, areExpendable, Words.changes.isDisjoint(with: verbs) {
            return "it only decorates, or can be created again"
        }
        if loss.kind != .task, !tried.words.isEmpty, !names.isEmpty, Self.isProbe(tried, names) {
            return "it only checks for something, and a failure is one of the results"
        }
        if loss.kind == .substitute, answersYesOrNo(loss), Words.changes.isDisjoint(with: verbs) {
            return "the function only returns yes or no"
        }
        if tried.isConstant, names.last?.first?.isUppercase == true { return "its arguments are constants" }
        return nil
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

    /// Returns whether a node is in a `catch` that throws or reports, so that the first error isn't lost.
    private func isOnErrorPath(_ node: Syntax) -> Bool {
        guard let clause = node.enclosing(CatchClauseSyntax.self, upTo: \.isFunction) else { return false }
        return ErrorPaths(file: file).fate(of: clause.body.statements, names: clause.errorNames) == .reported
    }

    /// Returns whether the block before `catch` and the `catch` return opposite Booleans.
    private func answersYesOrNo(_ loss: Loss) -> Bool {
        func ends(_ list: CodeBlockItemListSyntax?, with value: String) -> Bool {
            list?.last?.item.as(ReturnStmtSyntax.self)?.expression?.trimmedDescription == value
        }
        let tried = loss.tried?.as(CodeBlockSyntax.self)?.statements
        return ends(tried, with: "true") && ends(loss.block, with: "false")
            || ends(tried, with: "false") && ends(loss.block, with: "true")
    }
}
