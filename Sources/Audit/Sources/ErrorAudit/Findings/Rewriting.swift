import SwiftSyntax

/// Applies edits to a source text and adds the import that they need.
enum Rewriting {
    /// Returns the text with the edits and `import ErrorRouting`; nil if the result might not compile.
    static func apply(_ edits: [Edit], to text: String) -> String? {
        guard !edits.isEmpty else { return text }
        var bytes = Array(text.utf8)
        // Apply the last edit first, so that the offsets of the remaining edits stay valid.
        var end = bytes.count
        for edit in edits.sorted(by: { $1.range.lowerBound < $0.range.lowerBound }) {
            guard edit.range.upperBound <= end, bytes[edit.range].elementsEqual(edit.original.utf8) else { return nil }
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
            end = edit.range.lowerBound
        }
        let tree = SourceText.parse(String(decoding: bytes, as: UTF8.self))
        guard !tree.hasError else { return nil }
        if tree.importsTheBus == nil {
            let newline = text.first(where: \.isNewline).map(String.init) ?? "\n"
            let (offset, line) = insertion(in: tree, newline)
            bytes.insert(contentsOf: line.utf8, at: offset)
        }
        let result = String(decoding: bytes, as: UTF8.self)
        let rewritten = SourceText.parse(result)
        // Refuse a conditional import: where its condition is false, the call wouldn't compile, and adding an
        // unconditional import might fail there too.
        return !rewritten.hasError && rewritten.importsTheBus == true ? result : nil
    }

    /// Returns the position and text of the new import, in alphabetical order among the unconditional imports.
    private static func insertion(in tree: SourceFileSyntax, _ newline: String) -> (offset: Int, line: String) {
        let line = "import ErrorRouting"
        let imports = tree.statements.compactMap { $0.item.as(ImportDeclSyntax.self) }
        if let earlier = imports.last(where: { $0.path.trimmedDescription < "ErrorRouting" })?.parent {
            let next = earlier.nextToken(viewMode: .sourceAccurate) ?? tree.endOfFileToken
            let isAlone = next.tokenKind == .endOfFile || next.leadingTrivia.first?.isNewline == true
            return (earlier.endPosition.utf8Offset, newline + line + (isAlone ? "" : newline))
        }
        let first = imports.first?.positionAfterSkippingLeadingTrivia.utf8Offset
        return (first ?? tree.endOfHeader(newline), line + newline)
    }
}

extension SourceFileSyntax {
    /// Whether the file imports the bus unconditionally; nil if it doesn't import the bus.
    fileprivate var importsTheBus: Bool? {
        let imports = nodes(ImportDeclSyntax.self).filter {
            $0.importKindSpecifier == nil && $0.path.trimmedDescription == "ErrorRouting"
        }
        return imports.isEmpty ? nil : imports.contains { $0.enclosing(IfConfigDeclSyntax.self) == nil }
    }

    /// Returns the offset after the comments at the start of the file and before the first declaration's doc comment.
    fileprivate func endOfHeader(_ newline: String) -> Int {
        let first = statements.firstToken(viewMode: .sourceAccurate) ?? endOfFileToken
        var offset = first.position.utf8Offset
        var end = offset
        var isAfterText = shebang != nil
        for piece in first.leadingTrivia {
            switch piece {
            case .docLineComment, .docBlockComment: return end
            case .lineComment, .blockComment: isAfterText = true
            default:
                if piece.isNewline, isAfterText { end = offset + newline.utf8.count }
                isAfterText = isAfterText && !piece.isNewline
            }
            offset += piece.sourceLength.utf8Length
        }
        return end
    }
}
