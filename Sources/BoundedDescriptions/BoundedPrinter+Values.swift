extension BoundedPrinter {
    mutating func writeOptional(_ content: Any?, depth: Int) {
        guard let content else {
            out.append("nil")
            return
        }
        out.append("Optional(")
        writeEach(of: CollectionOfOne(content), depth: depth) { $0.writeChild($1, depth: depth) }
        out.append(")")
    }

    mutating func writeHashable(_ value: Any, isNested: Bool, depth: Int) {
        guard let base = (value as? AnyHashable)?.base else { return }
        if isNested { out.append("AnyHashable(") }
        writeEach(of: CollectionOfOne(base), depth: depth) { printer, base in
            printer.write(base, isNested: isNested, depth: depth + 1)
        }
        if isNested { out.append(")") }
    }

    /// Prints a range of the standard library by its bounds, which are the children of its mirror.
    mutating func writeRange(_ value: Any, sign: String, isNested: Bool, depth: Int) {
        if isNested { out.append(sign == "..." ? "ClosedRange(" : "Range(") }
        var isLower = true
        writeEach(of: Mirror(reflecting: value).children, depth: depth) { printer, bound in
            if !isLower { printer.out.append(sign) }
            printer.write(bound.value, isNested: isNested, depth: depth + 1)
            isLower = false
        }
        if isNested { out.append(")") }
    }

    /// Prints a collection element by element, since its description would contain all of them.
    mutating func writeCollection(_ value: Any, _ format: TypeKind.CollectionFormat, isNested: Bool, depth: Int) {
        guard let collection = value as? any Collection else { return }
        writeElements(of: collection, format, isNested: isNested, depth: depth)
    }

    mutating func writeMirrored(_ value: Any, _ format: TypeKind.CollectionFormat, isNested: Bool, depth: Int) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .set, .dictionary:
            writeElements(of: mirror.children.lazy.map(\.value), format, isNested: isNested, depth: depth)
        default:
            out.append(Self.words(of: value, isNested: isNested))
        }
    }

    private mutating func writeElements(
        of collection: some Collection, _ format: TypeKind.CollectionFormat, isNested: Bool, depth: Int
    ) {
        let hasName = isNested && !format.name.isEmpty
        if hasName { out.append("\(format.name)(") }
        defer { if hasName { out.append(")") } }
        if format.hasKeys, collection.isEmpty {
            out.append("[:]")
            return
        }
        out.append("[")
        writeList(of: collection, isSorted: format.isUnordered, depth: depth) { printer, element in
            // A dictionary type of the user's may have elements of any type.
            guard format.hasKeys, printer.isTuple(element) else { return printer.writeChild(element, depth: depth) }
            var isKey = true
            printer.writeEach(of: Mirror(reflecting: element).children, depth: depth) { printer, part in
                if !isKey { printer.out.append(": ") }
                printer.writeChild(part.value, depth: depth)
                isKey = false
            }
        }
        out.append("]")
    }

    /// Whether a value is a tuple.
    ///
    /// Calls no code of the user's: a value with a custom mirror or description is not reflected.
    private mutating func isTuple(_ value: Any) -> Bool {
        guard case .reflected = kind(of: type(of: value)), !(value is any CustomReflectable) else { return false }
        return Mirror(reflecting: value).displayStyle == .tuple
    }

    // MARK: Values without a description

    /// Prints a value by its mirror.
    ///
    /// A custom mirror may have any display style, and any number of children, which may be computed on access.
    mutating func writeReflected(_ value: Any, isNested: Bool, depth: Int) {
        let mirror = Mirror(reflecting: value)
        func typeName() -> String {
            isNested ? TypeName.full(mirror.subjectType) : TypeName.short(mirror.subjectType)
        }
        switch mirror.displayStyle {
        case .struct:
            out.append("\(typeName())(")
            writeFields(of: mirror, depth: depth)
            out.append(")")
        case .tuple:
            writeTuple(mirror, depth: depth)
        case .enum:
            writeCase(of: value, mirror, typeName: typeName(), isNested: isNested, depth: depth)
        case .optional:
            writeEach(of: mirror.children.prefix(1), depth: depth) { $0.writeChild($1.value, depth: depth) }
        case .collection, .set, .dictionary:
            out.append("[")
            let isUnordered = mirror.displayStyle != .collection
            writeList(of: mirror.children, isSorted: isUnordered, depth: depth) { printer, child in
                printer.writeChild(child.value, depth: depth)
            }
            out.append("]")
        case nil:
            if let type = value as? Any.Type {
                out.append(isNested ? TypeName.full(type) : TypeName.short(type))
            } else if value is any CustomReflectable {
                out.append(TypeName.full(mirror.subjectType))
            } else {
                // A function, or another opaque value for which Swift prints one fixed word.
                out.append(TypeName.withoutAddresses(String(describing: value)))
            }
        default:
            out.append(TypeName.full(mirror.subjectType))
        }
    }

    /// Prints the fields that have a name; those without one count as visited children too.
    private mutating func writeFields(of mirror: Mirror, depth: Int) {
        writeList(of: mirror.children, depth: depth, where: { $0.label != nil }) { printer, field in
            printer.out.append(field.label ?? "")
            printer.out.append(": ")
            printer.writeChild(field.value, depth: depth)
        }
    }

    private mutating func writeTuple(_ mirror: Mirror, depth: Int) {
        out.append("(")
        writeList(of: mirror.children, depth: depth) { printer, part in
            // Parts without a name are numbered: `.0`, `.1`.
            if let label = part.label, !label.isEmpty, !label.hasPrefix(".") {
                printer.out.append(label)
                printer.out.append(": ")
            }
            printer.writeChild(part.value, depth: depth)
        }
        out.append(")")
    }

    private mutating func writeCase(of value: Any, _ mirror: Mirror, typeName: String, isNested: Bool, depth: Int) {
        guard let payload = mirror.children.first else {
            let name = value is any CustomReflectable ? nil : EnumCase.name(of: value)
            out.append(name.map { isNested ? "\(typeName).\($0)" : $0 } ?? typeName)
            return
        }
        if isNested { out.append("\(typeName).") }
        out.append(payload.label ?? typeName)
        // Several associated values form a tuple, which is printed with parentheses.
        let isTuple = isTuple(payload.value)
        if !isTuple { out.append("(") }
        writeEach(of: CollectionOfOne(payload.value), depth: depth) { $0.writeChild($1, depth: depth) }
        if !isTuple { out.append(")") }
    }
}
