import SwiftSyntax

/// Creates the rewrites of `--fix`.
///
/// Only a whole `catch` block is rewritten: it is a statement of its own, its error is `any Error`, and the call in the
/// new block returns nothing and runs in the same isolation. So types, captures, and control flow stay as they are.
enum Fixes {
    /// Changes `catch {}` to `catch { postError(error) }` unless it contains a comment.
    static func emptyCatch(_ clause: CatchClauseSyntax) -> [Edit] {
        guard clause.body.statements.isEmpty else { return [] }
        return body(of: clause)
    }

    /// Changes `catch { print(error) }` to `catch { postError(error) }` if the call prints only the error.
    static func printOnly(_ clause: CatchClauseSyntax) -> [Edit] {
        guard clause.body.statements.count == 1, let only = clause.body.statements.first, only.semicolon == nil,
            let call = only.item.as(FunctionCallExprSyntax.self), call.trailingClosure == nil,
            let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
            ["print", "debugPrint", "dump"].contains(name), call.arguments.count == 1,
            let argument = call.arguments.first, argument.label == nil, isOnlyTheError(argument.expression)
        else { return [] }
        return body(of: clause)
    }

    /// Returns whether a value contains nothing that a report of the error lacks.
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

    /// Returns the edit that replaces the block of a `catch` clause without a pattern.
    private static func body(of clause: CatchClauseSyntax) -> [Edit] {
        let body = clause.body
        let start = body.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = body.endPositionBeforeTrailingTrivia.utf8Offset
        let hasComment = body.tokens(viewMode: .sourceAccurate).contains { token in
            token.id != body.leftBrace.id && token.leadingTrivia.hasComment
                || token.id != body.rightBrace.id && token.trailingTrivia.hasComment
        }
        let compiles = !isInlinable(clause) && !declaresPostError(clause)
        guard clause.catchItems.isEmpty, !hasComment, compiles else { return [] }
        return [Edit(range: start..<end, original: body.trimmedDescription, text: "{ postError(error) }")]
    }

    /// Returns whether clients compile the code too: it may use only what is public in the module's own interface.
    private static func isInlinable(_ node: some SyntaxProtocol) -> Bool {
        let attributes: Set = ["inlinable", "_alwaysEmitIntoClient", "_transparent", "backDeployed"]
        return node.enclosing { scope in
            let list = scope.asProtocol((any WithAttributesSyntax).self)?.attributes ?? []
            return list.contains { element in
                element.as(AttributeSyntax.self).map { attributes.contains($0.attributeName.trimmedDescription) }
                    ?? true
            }
        } != nil
    }

    /// Returns whether the file declares its own `postError`, which the call would find first.
    private static func declaresPostError(_ node: some SyntaxProtocol) -> Bool {
        node.root.tokens(viewMode: .sourceAccurate).contains { token in
            guard token.text == "postError", let parent = token.parent else { return false }
            return !parent.is(DeclReferenceExprSyntax.self)
        }
    }
}

/// A replacement of bytes in a file.
struct Edit: Sendable, Equatable {
    let range: Range<Int>
    /// What the bytes must be, so that a file that changed in between is left alone.
    let original: String
    let text: String
}

extension Trivia {
    fileprivate var hasComment: Bool {
        contains { piece in
            switch piece {
            case .lineComment, .blockComment, .docLineComment, .docBlockComment: true
            default: false
            }
        }
    }
}
