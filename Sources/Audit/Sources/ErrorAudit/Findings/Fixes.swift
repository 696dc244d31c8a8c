import SwiftSyntax

/// Creates the rewrites of `--fix`.
///
/// They keep the program's types and isolation.
enum Fixes {
    /// Changes `try? f()` to `catchingErrors { try f() }`, which also returns an optional and keeps the caller's
    /// isolation.
    static func optionalTry(_ node: TryExprSyntax) -> [Edit] {
        let code = node.expression.trimmedDescription
        let isAsync = node.expression.is(AwaitExprSyntax.self)
        // Skip `$0`, which would become the new closure's parameter. Skip initializers, which can't capture `self`
        // before it is initialized.
        guard !code.contains("$"), !code.contains("\n"), keepsItsType(node), isInBody(node),
            isAsync || !node.expression.tokens(viewMode: .sourceAccurate).contains(where: { $0.text == "await" })
        else { return [] }
        return [Edit(range: node.bytes, text: "\(isAsync ? "await " : "")catchingErrors { try \(code) }")]
    }

    /// Returns whether the surrounding code accepts an optional or ignores the value.
    ///
    /// A call without a result would return a Boolean. That matters only if the value is compared or is a closure's
    /// value.
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

    /// Changes `Task { … }` to `Task { await catchingErrors { … } }` if the task isn't stored.
    static func task(_ call: FunctionCallExprSyntax, _ operation: ClosureExprSyntax) -> [Edit] {
        guard let item = call.parent?.as(CodeBlockItemSyntax.self), isInBody(call),
            !item.isValueOfItsBlock, let first = operation.statements.first, let last = operation.statements.last,
            operation.statements.count == 1 || !returnsValue(operation), operation.signature?.returnClause == nil
        else { return [] }
        let start = first.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = last.endPositionBeforeTrailingTrivia.utf8Offset
        return [Edit(range: start..<start, text: "await catchingErrors { "), Edit(range: end..<end, text: " }")]
    }

    /// Returns whether a closure with several statements returns a value, because it would then need an explicit type.
    private static func returnsValue(_ operation: ClosureExprSyntax) -> Bool {
        operation.statements.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.return) }
    }

    /// Changes `catch {}` to `catch { postError(error) }` unless it contains a comment.
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

    /// Changes `print(error)` in a `catch` to `postError(error)` if it is the only statement.
    static func printOnly(_ clause: CatchClauseSyntax, in file: SourceText) -> [Edit] {
        guard clause.catchItems.isEmpty, clause.body.statements.count == 1, let only = clause.body.statements.first,
            let call = only.item.as(FunctionCallExprSyntax.self), ["print", "debugPrint", "NSLog"].contains(call.name)
        else { return [] }
        return [Edit(range: call.bytes, text: "postError(error)")]
    }

    /// Returns a source text with edits and the import that they need.
    static func apply(_ edits: [Edit], to text: String) -> String {
        guard !edits.isEmpty else { return text }
        var bytes = Array(text.utf8)
        // Apply the edits from the end, so that the offsets stay valid, and inner edits before outer ones.
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
        // Skip imports between `#if` and `#endif`, which are for some platforms only.
        var depth = 0
        let imports = lines.indices.filter { index in
            if lines[index].hasPrefix("#if") { depth += 1 }
            if lines[index].hasPrefix("#endif") { depth -= 1 }
            return depth == 0 && lines[index].hasPrefix("import ")
        }
        let position =
            imports.first { lines[$0] > "import ErrorRouting" } ?? imports.last.map { $0 + 1 }
            ?? lines.firstIndex { !$0.hasPrefix("//") && !$0.hasPrefix("#!") } ?? 0
        lines.insert("import ErrorRouting", at: position)
        return lines.joined(separator: "\n")
    }
}

extension SyntaxProtocol {
    /// The bytes of a node without the surrounding trivia.
    fileprivate var bytes: Range<Int> {
        positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
    }
}
