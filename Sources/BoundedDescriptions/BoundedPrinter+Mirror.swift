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
            let rest = mirror.children.makeIterator()
            let payload = rest.next()
            let label = payload?.label ?? EnumCase.name(of: value)
            if depth > 0 || label == nil { out.append(name) }
            if let label { out.append(depth > 0 ? ".\(label)" : label) }
            if let payload {
                // Several associated values form a tuple, which has parentheses of its own.
                let isTuple = Mirror.ofTuple(payload.value) != nil
                if !isTuple { out.append("(") }
                writeChildren(of: mirror, first: payload, rest, areNamed: false, depth: depth)
                if !isTuple { out.append(")") }
            } else if depth == 0 {
                fields = ReflectedFields(isCase: true, children: [])
            }
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

    /// Prints children with commas between them, until a limit is reached.
    ///
    /// - Parameters:
    ///   - mirror: The mirror of the value that contains the children.
    ///   - first: The first child, if it has been read.
    ///   - rest: The children after it; nil for all of the mirror.
    ///   - areNamed: Whether the children's names are printed.
    ///   - isSorted: Whether the printed children are sorted, because they come in no fixed order.
    ///   - depth: The depth of that value.
    private mutating func writeChildren(
        of mirror: Mirror, first: Mirror.Child? = nil, _ rest: Mirror.Children.Iterator? = nil, areNamed: Bool = true,
        isSorted: Bool = false, depth: Int
    ) {
        let (children, separator, start) = (mirror.children, ", ", out.count)
        var starts: [Int] = []
        var seen: [Mirror.Child] = []
        let rest = rest ?? children.makeIterator()
        var (next, isWhole) = (first, false)
        while !out.isCut {
            guard depth < Self.depthLimit, childCount < Self.childLimit else {
                // By index, since an iterator would make one more child to say whether there is one.
                let end = children.index(children.startIndex, offsetBy: starts.count, limitedBy: children.endIndex)
                isWhole = end == children.endIndex
                if !isWhole { out.append((starts.isEmpty ? "" : separator) + BoundedText.mark) }
                break
            }
            guard let child = next.take() ?? rest.next() else {
                isWhole = true
                break
            }
            if !starts.isEmpty { out.append(separator) }
            starts.append(out.count)
            childCount += 1
            if depth == 0 { seen.append(child) }
            // Parts of a tuple without a name are numbered: `.0`, `.1`.
            if areNamed, let name = child.label, !name.hasPrefix(".") { out.append("\(name): ") }
            if mirror.displayStyle == .dictionary, let (key, value) = child.value as? (key: Any, value: Any) {
                writeValue(key, depth: depth + 1)
                out.append(": ")
                writeValue(value, depth: depth + 1)
            } else {
                writeValue(child.value, depth: depth + 1)
            }
        }
        if depth == 0, isWhole { fields = ReflectedFields(isCase: mirror.displayStyle == .enum, children: seen) }
        guard isSorted else { return }
        // Which children come first differs from run to run, so that a part of them must not be shown.
        if !isWhole || out.isCut || childCount >= Self.childLimit {
            out.cut(at: start)
        } else {
            out.sort(partsAt: starts, separator: separator)
        }
    }
}

/// All the fields of a value, or the payload of its case, as its mirror has them.
package struct ReflectedFields {
    /// Whether the value is an enum, whose only child is the payload.
    package let isCase: Bool
    package let children: [Mirror.Child]
}

extension Mirror {
    /// Returns the mirror of a tuple; nil for any other value, which is not asked for a mirror.
    package static func ofTuple(_ value: Any) -> Mirror? {
        // A function's type, and that of a type, may begin and end so too; nothing else does.
        let name = TypeName.reflected(type(of: value)).utf8
        guard name.first == UInt8(ascii: "("), name.last == UInt8(ascii: ")") else { return nil }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .tuple ? mirror : nil
    }
}
