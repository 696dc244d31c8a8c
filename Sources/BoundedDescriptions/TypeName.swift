import Foundation

/// Returns names of types that are the same in every run.
///
/// Swift's name for a private or local type contains the address of its context. For example, it is `Intake.(unknown
/// context at $55e70fa97588).Reader`. This library's name for that type is `Intake.Reader`.
package enum TypeName {
    /// Returns the type's name with its module and enclosing types: `Intake.Reader.Failure`.
    ///
    /// Foundation's errors have the same name on all platforms. Swift's names differ: on Linux, two of these types are
    /// in another module, and on Apple's platforms `NSError` has no module.
    package static func full(_ type: Any.Type) -> String {
        if type == NSError.self || isBridged(type) { return "Foundation.\(short(type))" }
        return OneLine.escaped(withoutAddresses(reflected(type)))
    }

    /// Returns the type's name without its module and enclosing types: `Failure`.
    package static func short(_ type: Any.Type) -> String {
        OneLine.escaped(withoutAddresses(_typeName(type, qualified: false)))
    }

    /// Returns the same name as `String(reflecting:)`, but skips the checks for a mirror and description conformances.
    ///
    /// Those checks would take a quarter of the time that `ErrorHandler.default` needs to write one line.
    package static func reflected(_ type: Any.Type) -> String { _typeName(type, qualified: true) }

    /// Returns a name from the Swift runtime without the addresses in it.
    package static func withoutAddresses(_ name: String) -> String {
        // Search bytes first: most names contain no `$`, and a search by characters would take a fifth of the time that
        // recording a line takes.
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

    /// Returns whether a type is one of Foundation's structs that contain an `NSError`.
    package static func isBridged(_ type: Any.Type) -> Bool {
        type == URLError.self || type == CocoaError.self || type == POSIXError.self
    }

    /// Returns whether a type is a pointer, a slice of a buffer pointer, or another type that refers to memory that
    /// might already be deallocated.
    package static func isAddress(_ type: Any.Type) -> Bool {
        let name = reflected(type)
        // Return early: most types are in other modules.
        return name.hasPrefix("Swift.") && addresses.contains { name.hasPrefix($0) }
    }

    private static let addresses = [
        "Swift.Unsafe", "Swift.Slice<Swift.Unsafe", "Swift.OpaquePointer", "Swift.ObjectIdentifier", "Swift.Unmanaged",
        "Swift.AutoreleasingUnsafe", "Swift.Unowned",
    ]
}
