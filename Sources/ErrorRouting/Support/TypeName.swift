/// The names of types, the same in every run.
///
/// Swift names a private or local type with the address of what it is declared in:
/// `Intake.(unknown context at $55e70fa97588).Reader`. That part is left out: `Intake.Reader`.
enum TypeName {
    /// The type with its module and the types around it: `Intake.Reader.Failure`.
    static func full(_ type: Any.Type) -> String { OneLine.escaped(withoutAddresses(String(reflecting: type))) }

    /// The type as one writes it where it is declared: `Failure`.
    static func short(_ type: Any.Type) -> String { OneLine.escaped(withoutAddresses(String(describing: type))) }

    /// A text of Swift's own without the addresses in the names of types.
    static func withoutAddresses(_ text: String) -> String {
        let opening = "(unknown context at $"
        // Most names have no parenthesis at all.
        guard text.utf8.contains(UInt8(ascii: "(")) else { return text }
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: opening.utf8) {
                var end = index + opening.utf8.count
                while end < bytes.count, isHexDigit(bytes[end]) { end += 1 }
                if bytes[end...].starts(with: ").".utf8) {
                    index = end + 2
                    continue
                }
            }
            kept.append(bytes[index])
            index += 1
        }
        return kept.count == bytes.count ? text : String(decoding: kept, as: UTF8.self)
    }

    /// Whether a type's values are addresses, or no more than one; what is behind it may be gone.
    static func isAddress(_ type: Any.Type) -> Bool {
        let name = String(reflecting: type)
        let prefixes = ["Unsafe", "OpaquePointer", "ObjectIdentifier", "Unmanaged", "AutoreleasingUnsafe", "Unowned"]
        let isSlice = name.hasPrefix("Swift.Slice<")
        let inner = isSlice ? name.dropFirst("Swift.Slice<".count) : name[...]
        return inner.hasPrefix("Swift.") && prefixes.contains { inner.dropFirst("Swift.".count).hasPrefix($0) }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
