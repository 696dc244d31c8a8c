import SwiftSyntax

/// The rewrites of `--fix`: only those that keep the types and the isolation of the program.
enum Fixes {
    /// `try? f()` becomes `catchingErrors { try f() }`, which also returns an optional and runs where its caller runs.
    static func optionalTry(_ node: TryExprSyntax) -> [Edit] {
        let code = node.expression.trimmedDescription
        let isAsync = node.expression.is(AwaitExprSyntax.self)
        // `$0` would be the new closure's own. An initializer must not capture `self` before all is initialized.
        guard !code.contains("$"), !code.contains("\n"), keepsItsType(node), isInBody(node),
            isAsync || !node.expression.tokens(viewMode: .sourceAccurate).contains(where: { $0.text == "await" })
        else { return [] }
        return [Edit(range: node.bytes, text: "\(isAsync ? "await " : "")catchingErrors { try \(code) }")]
    }

    /// Whether the place takes an optional, or nothing at all.
    ///
    /// A call that returns nothing would yield a Boolean, which only shows where the value is compared or is the value
    /// of a closure.
    private static func keepsItsType(_ node: TryExprSyntax) -> Bool {
        guard let parent = node.parent else { return false }
        if let item = parent.as(CodeBlockItemSyntax.self) { return !item.isValueOfItsBlock }
        if let binding = parent.parent?.as(OptionalBindingConditionSyntax.self) {
            return binding.pattern.is(IdentifierPatternSyntax.self)
        }
        guard let list = parent.as(ExprListSyntax.self) else { return false }
        let elements = Array(list)
        return elements.count == 3 && elements[0].is(DiscardAssignmentExprSyntax.self)
    }

    private static func isInBody(_ node: some SyntaxProtocol) -> Bool {
        var current = node.parent
        while let parent = current {
            if parent.is(InitializerDeclSyntax.self) || parent.is(DeinitializerDeclSyntax.self) { return false }
            if parent.is(FunctionDeclSyntax.self) { return true }
            current = parent.parent
        }
        return false
    }

    /// `Task { … }` becomes `Task { await catchingErrors { … } }`, where nobody has the task.
    static func task(_ call: FunctionCallExprSyntax, _ operation: ClosureExprSyntax) -> [Edit] {
        guard let item = call.parent?.as(CodeBlockItemSyntax.self), isInBody(call),
            !item.isValueOfItsBlock, let first = operation.statements.first, let last = operation.statements.last,
            operation.statements.count == 1 || !returnsValue(operation), operation.signature?.returnClause == nil
        else { return [] }
        let start = first.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = last.endPositionBeforeTrailingTrivia.utf8Offset
        return [Edit(range: start..<start, text: "await catchingErrors { "), Edit(range: end..<end, text: " }")]
    }

    /// Whether several statements end with a value: the closure's type would have to be written.
    private static func returnsValue(_ operation: ClosureExprSyntax) -> Bool {
        operation.statements.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.return) }
    }

    /// `catch {}` becomes `catch { postError(error) }`, if there is no comment in it.
    static func emptyCatch(_ clause: CatchClauseSyntax) -> [Edit] {
        let body = clause.body
        let text = body.trimmedDescription.filter { !$0.isWhitespace }
        guard clause.catchItems.isEmpty, text == "{}" else { return [] }
        let start = body.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset
        return [
            Edit(
                range: start..<body.rightBrace.positionAfterSkippingLeadingTrivia.utf8Offset, text: " postError(error) "
            )
        ]
    }

    /// `print(error)` in a `catch` becomes `postError(error)`, if it is the only statement.
    static func printOnly(_ clause: CatchClauseSyntax, in file: SourceText) -> [Edit] {
        guard clause.catchItems.isEmpty, clause.body.statements.count == 1, let only = clause.body.statements.first,
            let call = only.item.as(FunctionCallExprSyntax.self), ["print", "debugPrint", "NSLog"].contains(call.name)
        else { return [] }
        return [Edit(range: call.bytes, text: "postError(error)")]
    }

    /// Returns a text with edits, and with the import that they need.
    static func apply(_ edits: [Edit], to text: String) -> String {
        guard !edits.isEmpty else { return text }
        var bytes = Array(text.utf8)
        // From the end, so that the offsets stay valid. An outer edit contains no inner one: the inner goes first.
        var start = bytes.count + 1
        for edit in edits.sorted(by: {
            ($1.range.lowerBound, $1.range.upperBound) < ($0.range.lowerBound, $0.range.upperBound)
        })
        where edit.range.upperBound <= start {
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
            start = edit.range.lowerBound
        }
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard !lines.contains(where: { $0.hasSuffix("import ErrorRouting") }) else {
            return lines.joined(separator: "\n")
        }
        // An import between `#if` and `#endif` is for some platforms only.
        var depth = 0
        let imports = lines.indices.filter { index in
            if lines[index].hasPrefix("#if") { depth += 1 }
            if lines[index].hasPrefix("#endif") { depth -= 1 }
            return depth == 0 && lines[index].hasPrefix("import ")
        }
        let place =
            imports.first { lines[$0] > "import ErrorRouting" } ?? imports.last.map { $0 + 1 }
            ?? lines.firstIndex { !$0.hasPrefix("//") && !$0.hasPrefix("#!") } ?? 0
        lines.insert("import ErrorRouting", at: place)
        return lines.joined(separator: "\n")
    }
}

extension SyntaxProtocol {
    /// The bytes of a node without the trivia round it.
    fileprivate var bytes: Range<Int> {
        positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
    }
}
