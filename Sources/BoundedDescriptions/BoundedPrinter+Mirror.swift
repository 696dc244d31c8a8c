extension BoundedPrinter {
    /// Prints a value using its mirror.
    ///
    /// A custom mirror can have any display style and any number of children, and it might compute them on access.
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
                // A case's associated values form a tuple, which is printed with its own parentheses.
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
            // The value is a type, a function, or a value with a custom mirror that has no display style.
            out.append(TypeName.full(value as? Any.Type ?? type))
        }
    }

    private func mirror(of value: Any) -> Mirror {
        // Print such views as collections: the standard mirror of, for example, a dictionary's keys would show the
        // dictionary's storage.
        let isView = Self.isContainer(type(of: value)) && !(value is any CustomReflectable)
        guard isView, value is any CustomStringConvertible, let list = value as? any Collection else {
            return Mirror(reflecting: value)
        }
        return Mirror(value, unlabeledChildren: list, displayStyle: .collection)
    }

    /// Prints children with commas between them, until a limit is reached.
    ///
    /// If the first child was already read, `rest` continues after it; otherwise all children of the mirror are
    /// printed. Children that have no fixed order are sorted. The depth is that of the value that contains the
    /// children.
    private mutating func writeChildren(
        of mirror: Mirror, first: Mirror.Child? = nil, _ rest: Mirror.Children.Iterator? = nil, areNamed: Bool = true,
        isSorted: Bool = false, depth: Int
    ) {
        let (children, separator, start) = (mirror.children, ", ", out.count)
        var starts: [Int] = []
        var seen: [Mirror.Child] = []
        let rest = rest ?? children.makeIterator()
        var (next, isWhole) = (first, false)
        while !out.isTruncated {
            guard depth < Self.depthLimit, childCount < Self.childLimit else {
                // Compare indices: reading from an iterator would create one more child.
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
            // Skip the labels of a tuple's unnamed elements: `.0`, `.1`.
            if areNamed, let name = child.label, !name.hasPrefix(".") {
                out.append(name)
                out.append(": ")
            }
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
        // Remove the children if some are missing: otherwise, the printed children would differ between runs.
        if !isWhole || out.isTruncated || childCount >= Self.childLimit {
            out.truncate(at: start)
        } else {
            out.sort(partsAt: starts, separator: separator)
        }
    }
}

/// All fields of a value, or the payload of its enum case, read from its mirror.
package struct ReflectedFields {
    /// Whether the value is an enum, so that its only child is the payload.
    package let isCase: Bool
    package let children: [Mirror.Child]
}

extension Mirror {
    /// Returns the mirror of a tuple; for any other value, returns nil without reading the value's mirror.
    package static func ofTuple(_ value: Any) -> Mirror? {
        // Check the name first: among other types, only names of functions and metatypes can begin and end like this.
        let name = TypeName.reflected(type(of: value)).utf8
        guard name.first == UInt8(ascii: "("), name.last == UInt8(ascii: ")") else { return nil }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .tuple ? mirror : nil
    }
}
