import Foundation

/// The names of types, the same in every run.
///
/// Swift's name of a private or local type contains the address of its context:
/// `Intake.(unknown context at $55e70fa97588).Reader`. That part is removed: `Intake.Reader`.
package enum TypeName {
    /// Returns the type's name with its module and enclosing types: `Intake.Reader.Failure`.
    ///
    /// Foundation's errors have one name on all platforms: on Linux two are in another module, and on Apple's platforms
    /// `NSError` is in none.
    package static func full(_ type: Any.Type) -> String {
        if type == NSError.self || type == CocoaError.self || type == POSIXError.self {
            return "Foundation.\(short(type))"
        }
        return OneLine.escaped(withoutAddresses(reflected(type)))
    }

    /// Returns the type's name without its module and enclosing types: `Failure`.
    package static func short(_ type: Any.Type) -> String {
        OneLine.escaped(withoutAddresses(_typeName(type, qualified: false)))
    }

    /// Returns what `String(reflecting:)` does, which asks for a mirror and half a dozen conformances before it asks the
    /// standard library for this: a quarter of what a line of the preset costs.
    static func reflected(_ type: Any.Type) -> String { _typeName(type, qualified: true) }

    /// Returns a text made by Swift without the addresses in the names of types.
    package static func withoutAddresses(_ text: String) -> String {
        let opening = "(unknown context at $"
        // Most names have no parenthesis.
        guard text.utf8.contains(UInt8(ascii: "(")) else { return text }
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: opening.utf8) {
                var end = index + opening.utf8.count
                while end < bytes.count, Character(Unicode.Scalar(bytes[end])).isHexDigit { end += 1 }
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

    /// Whether a type is a pointer, a slice of a buffer pointer, or another address whose memory may be deallocated.
    package static func isAddress(_ type: Any.Type) -> Bool { isAddress(named: reflected(type)) }

    /// Whether the type with a name is an address, as ``isAddress(_:)`` says.
    static func isAddress(named name: String) -> Bool {
        // Most types are of other modules.
        guard name.hasPrefix("Swift.") else { return false }
        let slice = "Swift.Slice<Swift."
        let inner = name.dropFirst(name.hasPrefix(slice) ? slice.utf8.count : "Swift.".utf8.count)
        return addresses.contains { inner.hasPrefix($0) }
    }

    private static let addresses = [
        "Unsafe", "OpaquePointer", "ObjectIdentifier", "Unmanaged", "AutoreleasingUnsafe", "Unowned",
    ]
}
