extension BoundedPrinter {
    /// Prints a value by its mirror.
    ///
    /// A custom mirror may have any display style, and any number of children, which may be computed on access.
    mutating func writeMirror(of value: Any, depth: Int) {
        let mirror = mirror(of: value)
        let type = mirror.subjectType
        var name: String { depth > 0 ? TypeName.full(type) : TypeName.short(type) }
        switch mirror.displayStyle {
        case .struct, .tuple,
            nil where !mirror.children.isEmpty:
            if mirror.displayStyle != .tuple { out.append(name) }
            out.append("(")
            writeChildren(of: mirror, depth: depth)
            out.append(")")
        case .enum:
            let label = mirror.children.first?.label ?? EnumCase.name(of: value)
            if depth > 0 || label == nil { out.append(name) }
            if let label { out.append(depth > 0 ? ".\(label)" : label) }
            if let payload = mirror.children.first?.value { writePayload(payload, of: mirror, depth: depth) }
        case .optional where mirror.children.isEmpty:
            out.append("nil")
        case .optional:
            out.append("Optional(")
            writeChildren(of: mirror, areNamed: false, depth: depth)
            out.append(")")
        case .collection, .set, .dictionary:
            out.append("[")
            writeChildren(of: mirror, isSorted: mirror.displayStyle != .collection, depth: depth)
            out.append("]")
        default:
            // A type, a function, or what a custom mirror says nothing about.
            out.append(TypeName.full(value as? Any.Type ?? type))
        }
    }

    private func mirror(of value: Any) -> Mirror {
        // The keys of a dictionary, say, have no mirror of their own, and would show the dictionary's storage.
        let isView = Self.isContainer(type(of: value)) && !(value is any CustomReflectable)
        guard isView, value is any CustomStringConvertible, let list = value as? any Collection else {
            return Mirror(reflecting: value)
        }
        return Mirror(value, unlabeledChildren: list, displayStyle: .collection)
    }

    private mutating func writePayload(_ payload: Any, of mirror: Mirror, depth: Int) {
        // Several associated values form a tuple, which has parentheses of its own. What has a mirror of its own is none.
        let isTuple = !(payload is any CustomReflectable) && Mirror(reflecting: payload).displayStyle == .tuple
        if !isTuple { out.append("(") }
        writeChildren(of: mirror, areNamed: false, depth: depth)
        if !isTuple { out.append(")") }
    }

    /// Prints children with commas between them, until a limit is reached.
    ///
    /// - Parameters:
    ///   - mirror: The mirror of the value that contains the children.
    ///   - areNamed: Whether the children's names are printed.
    ///   - isSorted: Whether the printed children are sorted, because they come in no fixed order.
    ///   - depth: The depth of that value.
    private mutating func writeChildren(of mirror: Mirror, areNamed: Bool = true, isSorted: Bool = false, depth: Int) {
        let (children, separator, start) = (mirror.children, ", ", out.count)
        var starts: [Int] = []
        // By index, since an iterator would compute one more child to say whether there is one.
        var index = children.startIndex
        while index != children.endIndex, !out.isCut {
            if !starts.isEmpty { out.append(separator) }
            starts.append(out.count)
            guard depth < Self.depthLimit, childCount < Self.childLimit else {
                out.append(BoundedText.mark)
                break
            }
            childCount += 1
            let child = children[index]
            // Parts of a tuple without a name are numbered: `.0`, `.1`.
            if areNamed, let name = child.label, !name.hasPrefix(".") { out.append("\(name): ") }
            if mirror.displayStyle == .dictionary, let (key, value) = child.value as? (key: Any, value: Any) {
                writeValue(key, depth: depth + 1)
                out.append(": ")
                writeValue(value, depth: depth + 1)
            } else {
                writeValue(child.value, depth: depth + 1)
            }
            children.formIndex(after: &index)
        }
        guard isSorted else { return }
        // Which children come first differs from run to run, so that a part of them must not be shown.
        if index != children.endIndex || out.isCut || childCount >= Self.childLimit {
            out.cut(at: start)
        } else {
            out.sort(partsAt: starts, separator: separator)
        }
    }
}
