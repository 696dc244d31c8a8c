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
    package static func reflected(_ type: Any.Type) -> String { _typeName(type, qualified: true) }

    /// Returns a name made by Swift without the addresses in it.
    package static func withoutAddresses(_ name: String) -> String {
        // Most texts have no such sign. By bytes, since a search by characters takes a fifth of a recorded line.
        if name.hasOnly({ $0 != UInt8(ascii: "$") }) { return name }
        let opening = "unknown context at $".utf8
        var (kept, rest) = ([UInt8](), Array(name.utf8)[...])
        while let byte = rest.popFirst() {
            let isOpening = byte == UInt8(ascii: "(") && rest.starts(with: opening)
            let tail = rest.dropFirst(opening.count).drop { isOpening && Unicode.Scalar($0).properties.isASCIIHexDigit }
            if isOpening, tail.starts(with: ").".utf8) { rest = tail.dropFirst(2) } else { kept.append(byte) }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Whether a type is a pointer, a slice of a buffer pointer, or another address whose memory may be deallocated.
    package static func isAddress(_ type: Any.Type) -> Bool {
        let name = reflected(type)
        // Most types are of other modules.
        return name.hasPrefix("Swift.") && addresses.contains { name.hasPrefix($0) }
    }

    private static let addresses = [
        "Swift.Unsafe", "Swift.Slice<Swift.Unsafe", "Swift.OpaquePointer", "Swift.ObjectIdentifier", "Swift.Unmanaged",
        "Swift.AutoreleasingUnsafe", "Swift.Unowned",
    ]
}
