import SwiftSyntax

/// Creates the rewrites for `--fix`.
///
/// Only a whole `catch` block is rewritten, because that doesn't change types, captures, or control flow. The block
/// isn't part of an expression, its error is `any Error`, and the call in the new block returns `Void` and runs in the
/// same isolation.
enum Fixes {
    /// Changes `catch {}` and `catch { print(error) }` to `catch { postError(error) }`.
    ///
    /// A block that contains a comment or prints more than the error isn't changed.
    static func edits(_ clause: CatchClauseSyntax) -> [Edit] {
        let body = clause.body
        let hasComment = body.trimmed.allTokens.contains {
            $0.leadingTrivia.contains(where: \.isComment) || $0.trailingTrivia.contains(where: \.isComment)
        }
        guard clause.catchItems.isEmpty, body.statements.isEmpty || printsOnlyTheError(body.statements), !hasComment,
            !isInlinable(clause), !declaresPostError(clause)
        else { return [] }
        let start = body.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = body.endPositionBeforeTrailingTrivia.utf8Offset
        return [Edit(range: start..<end, original: body.trimmedDescription, text: "{ postError(error) }")]
    }

    private static func printsOnlyTheError(_ block: CodeBlockItemListSyntax) -> Bool {
        guard block.count == 1, let only = block.first, only.semicolon == nil,
            let call = only.item.as(FunctionCallExprSyntax.self), call.trailingClosure == nil,
            let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
            ["print", "debugPrint", "dump"].contains(name), call.arguments.count == 1,
            let argument = call.arguments.first
        else { return false }
        return argument.label == nil && isOnlyTheError(argument.expression)
    }

    /// Returns whether a report of the error contains everything that a value contains.
    private static func isOnlyTheError(_ value: ExprSyntax) -> Bool {
        if ["error", "error.localizedDescription", "String(describing: error)"].contains(value.trimmedDescription) {
            return true
        }
        guard let text = value.as(StringLiteralExprSyntax.self) else { return false }
        let values = text.segments.compactMap { $0.as(ExpressionSegmentSyntax.self)?.expressions }
        let words = text.segments.compactMap { $0.as(StringSegmentSyntax.self)?.content.text }.joined()
        let isLabel = words.lowercased().filter(\.isLetter).replacing("error", with: "").isEmpty
        return isLabel && values.count == 1
            && values.allSatisfy { $0.count == 1 && $0.first.map { isOnlyTheError($0.expression) } == true }
    }

    /// Returns whether clients compile the code too, so that it can use only public declarations.
    private static func isInlinable(_ node: some SyntaxProtocol) -> Bool {
        let attributes: Set = ["inlinable", "_alwaysEmitIntoClient", "_transparent", "backDeployed"]
        return node.ancestors.contains { scope in
            scope.asProtocol((any WithAttributesSyntax).self)?.attributes.contains { element in
                // Assume the worst for an `#if` block: it might contain one of these attributes.
                element.as(AttributeSyntax.self).map { attributes.contains($0.attributeName.trimmedDescription) }
                    ?? true
            } == true
        }
    }

    /// Returns whether the file declares its own `postError`, which the new call would then use.
    private static func declaresPostError(_ node: some SyntaxProtocol) -> Bool {
        node.root.allTokens.contains { $0.text == "postError" && $0.parent?.is(DeclReferenceExprSyntax.self) == false }
    }
}

/// A replacement of bytes in a file.
struct Edit: Sendable, Equatable {
    let range: Range<Int>
    /// The expected content of the range, so that a file that has changed since the audit isn't rewritten.
    let original: String
    let text: String
}
