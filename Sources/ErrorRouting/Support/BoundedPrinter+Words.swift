extension BoundedPrinter {
    /// What a value says of itself, whole; nil where it does not speak for itself, or would say all that is in it.
    static func words(of value: Any) -> String? {
        let type = type(of: value)
        switch TypeKind(of: type) {
        case .text, .spoken, .mirroredCollection: return words(of: value, isNested: false)
        case .spokenObject: return words(ofObject: value, isNested: false)
        case .named where type is AnyClass:
            // An error may be a collection of errors, and have words for them.
            let speaks = type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
            return speaks ? words(ofObject: value, isNested: false) : nil
        default: return nil
        }
    }

    /// Asks a value once, in the order in which `debugPrint` and `print` look for something to ask.
    static func words(of value: Any, isNested: Bool) -> String {
        if isNested, let value = value as? any CustomDebugStringConvertible { return value.debugDescription }
        if !isNested, let value = value as? any TextOutputStreamable { return streamed(value) }
        if let value = value as? any CustomStringConvertible { return value.description }
        if let value = value as? any TextOutputStreamable { return streamed(value) }
        if let value = value as? any CustomDebugStringConvertible { return value.debugDescription }
        return TypeName.full(type(of: value))
    }

    /// Asks an object, unless all that it says is its address.
    static func words(ofObject value: Any, isNested: Bool) -> String {
        let words = words(of: value, isNested: isNested)
        let address = String(UInt(bitPattern: ObjectIdentifier(value as AnyObject)), radix: 16)
        // In the part that may be printed.
        let shown = BoundedText.cut(words, to: byteLimit)
        return shown.lowercased().contains(address) ? TypeName.full(type(of: value)) : words
    }

    /// What a value writes when asked to; it may write on and on, but no more is kept than can be printed.
    private static func streamed(_ value: any TextOutputStreamable) -> String {
        struct Stream: TextOutputStream {
            var text = BoundedText(limit: BoundedPrinter.byteLimit)

            mutating func write(_ string: String) { text.append(string) }
        }
        if let string = value as? String { return string }
        if let string = value as? Substring { return String(string) }
        var stream = Stream()
        value.write(to: &stream)
        return stream.text.text
    }
}
