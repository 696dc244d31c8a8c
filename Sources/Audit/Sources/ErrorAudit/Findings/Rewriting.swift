import SwiftSyntax

/// Applies edits to a source text, with the import that they need.
enum Rewriting {
    /// Returns the text with an edit and `import ErrorRouting`; nil if the result doesn't parse or might not compile.
    static func apply(_ edits: [Edit], to text: String) -> String? {
        guard !edits.isEmpty else { return text }
        var bytes = Array(text.utf8)
        // Apply the edits from the end, so that the offsets of the others stay valid.
        var end = bytes.count
        for edit in edits.sorted(by: { $1.range.lowerBound < $0.range.lowerBound }) {
            guard edit.range.upperBound <= end, bytes[edit.range].elementsEqual(edit.original.utf8) else { return nil }
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
            end = edit.range.lowerBound
        }
        let tree = SourceText.parse(String(decoding: bytes, as: UTF8.self))
        guard !tree.hasError else { return nil }
        switch tree.importOfTheBus {
        case .always: break
        // Elsewhere the call wouldn't compile, and a second import could fail where the first is left out.
        case .sometimes: return nil
        case .never:
            let insertion = insertion(in: tree)
            bytes.insert(contentsOf: insertion.text.utf8, at: insertion.offset)
        }
        let result = String(decoding: bytes, as: UTF8.self)
        let rewritten = SourceText.parse(result)
        return !rewritten.hasError && rewritten.importOfTheBus == .always ? result : nil
    }

    /// Returns where the import belongs: among the imports of every platform, in alphabetical order.
    private static func insertion(in tree: SourceFileSyntax) -> (offset: Int, text: String) {
        let newline = tree.newline
        let line = "import ErrorRouting"
        // An array keeps the positions; a filtered list would be a tree of its own.
        let imports = Array(tree.statements).filter { $0.item.is(ImportDeclSyntax.self) }
        let earlier = imports.last { item in
            item.item.as(ImportDeclSyntax.self).map { $0.path.trimmedDescription < "ErrorRouting" } ?? false
        }
        if let earlier {
            let next = earlier.nextToken(viewMode: .sourceAccurate) ?? tree.endOfFileToken
            let isAlone = next.tokenKind == .endOfFile || next.leadingTrivia.first?.isNewline == true
            return (earlier.endPosition.utf8Offset, isAlone ? newline + line : newline + line + newline)
        }
        if let first = imports.first {
            return (first.positionAfterSkippingLeadingTrivia.utf8Offset, line + newline)
        }
        return (tree.endOfHeader, line + newline)
    }
}

extension SourceFileSyntax {
    fileprivate enum Presence { case never, sometimes, always }

    /// Whether the file imports the bus on every platform.
    fileprivate var importOfTheBus: Presence {
        if statements.contains(where: { $0.item.as(ImportDeclSyntax.self)?.isOfTheBus == true }) { return .always }
        let all = tokens(viewMode: .sourceAccurate).lazy.compactMap { $0.parent?.as(ImportDeclSyntax.self) }
        return all.contains(where: \.isOfTheBus) ? .sometimes : .never
    }

    /// The file's first line break.
    fileprivate var newline: String {
        for token in tokens(viewMode: .sourceAccurate) {
            for piece in token.leadingTrivia {
                switch piece {
                case .newlines: return "\n"
                case .carriageReturns: return "\r"
                case .carriageReturnLineFeeds: return "\r\n"
                default: continue
                }
            }
        }
        return "\n"
    }

    /// The offset after the comments at the start of the file, and before the comment that documents a declaration.
    fileprivate var endOfHeader: Int {
        guard let first = (statements.firstToken(viewMode: .sourceAccurate) ?? endOfFileToken) as TokenSyntax? else {
            return 0
        }
        var offset = first.position.utf8Offset
        var end = offset
        var isAfterText = shebang != nil
        for piece in first.leadingTrivia {
            switch piece {
            case .docLineComment, .docBlockComment: return end
            case .lineComment, .blockComment: isAfterText = true
            case .newlines, .carriageReturns, .carriageReturnLineFeeds:
                let isPair = if case .carriageReturnLineFeeds = piece { true } else { false }
                if isAfterText { end = offset + (isPair ? 2 : 1) }
                isAfterText = false
            default: break
            }
            offset += piece.sourceLength.utf8Length
        }
        return end
    }
}

extension ImportDeclSyntax {
    fileprivate var isOfTheBus: Bool { importKindSpecifier == nil && path.trimmedDescription == "ErrorRouting" }
}
