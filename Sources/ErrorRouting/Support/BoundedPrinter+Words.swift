extension BoundedPrinter {
    /// Returns a value's own description, uncut; nil if its type has none, or one that would print all elements.
    static func words(of value: Any) -> String? {
        let type = type(of: value)
        switch TypeKind(of: type) {
        case .text, .spoken, .mirroredCollection: return words(of: value, isNested: false)
        case .spokenObject: return words(ofObject: value, isNested: false)
        case .named where type is AnyClass:
            // An error class may be a collection of errors with a description.
            return TypeKind.describesItself(type) ? words(ofObject: value, isNested: false) : nil
        default: return nil
        }
    }

    /// Returns a value's own description, calling the first conformance that `debugPrint` or `print` would call.
    static func words(of value: Any, isNested: Bool) -> String {
        if isNested, let value = value as? any CustomDebugStringConvertible { return value.debugDescription }
        if !isNested, let value = value as? any TextOutputStreamable { return streamed(value) }
        if let value = value as? any CustomStringConvertible { return value.description }
        if let value = value as? any TextOutputStreamable { return streamed(value) }
        if let value = value as? any CustomDebugStringConvertible { return value.debugDescription }
        return TypeName.full(type(of: value))
    }

    /// Returns an object's own description, or its type's name if the description contains the object's address.
    static func words(ofObject value: Any, isNested: Bool) -> String {
        let words = words(of: value, isNested: isNested)
        let address = String(UInt(bitPattern: ObjectIdentifier(value as AnyObject)), radix: 16)
        // Only the part that can be printed is searched.
        let shown = BoundedText.cut(words, to: byteLimit)
        return shown.lowercased().contains(address) ? TypeName.full(type(of: value)) : words
    }

    /// Returns what a value writes to a stream, cut at the length that can be printed.
    private static func streamed(_ value: any TextOutputStreamable) -> String {
        if let string = value as? String { return string }
        if let string = value as? Substring { return String(string) }
        var stream = BoundedText(limit: byteLimit)
        value.write(to: &stream)
        return stream.text
    }
}
