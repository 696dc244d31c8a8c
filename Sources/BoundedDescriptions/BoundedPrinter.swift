import Foundation

/// Prints any value with a bounded amount of work, whatever the value.
///
/// A value is printed by its own description if it has one, else by its mirror. The printer visits at most 1,024
/// children in all, to a depth of 16, and writes at most 16 KiB of UTF-8; `…` marks what was left out. So `Array` and the
/// like are not asked for their descriptions, which print all that they contain. Class instances and actors are not looked into,
/// since their state may be changing or guarded by a lock. No address is printed, and the elements of a set or dictionary
/// are sorted, so that the text is the same in every run. If a set or dictionary does not fit, its elements and all that
/// follows are left out.
///
/// A dead `unowned` reference in a struct's field cannot be recognized: reading it traps, as it does in `print`.
package struct BoundedPrinter {
    /// The maximum number of visited children.
    static let childLimit = 1_024
    /// The maximum nesting of values within values.
    static let depthLimit = 16
    /// The maximum length of the text in bytes of UTF-8.
    static let byteLimit = 16 * 1024

    /// The number of visited children: elements, fields, payloads.
    var childCount = 0
    var out = BoundedText(limit: byteLimit)

    /// The text printed so far.
    package var text: String { out.text }

    /// The fields of the printed value, if they have been read to the end: whoever needs them too spares a mirror.
    package internal(set) var fields: ReflectedFields?

    package init() {}

    /// Returns a value's bounded text.
    package static func text(of value: Any) -> String {
        var printer = BoundedPrinter()
        printer.print(value)
        return printer.text
    }

    /// Prints a value.
    package mutating func print(_ value: Any) { writeValue(value, depth: 0) }

    /// Prints a value that is contained in as many others as the depth says.
    mutating func writeValue(_ value: Any, depth: Int) {
        let type = type(of: value)
        if type == String.self || type == Substring.self {
            // As a substring, which shares the string's storage, neither is copied.
            let text = value as? Substring ?? (value as? String)?[...] ?? ""
            if depth == 0 { out.append(text) } else { out.append(Self.beginning(of: text).debugDescription) }
        } else if type == Int.self, let number = value as? Int {
            // As further down, but its type need not be asked for its conformances and its name.
            out.append("\(number)")
        } else if type is NSError.Type || Self.wrappers.contains(ObjectIdentifier(type)) {
            if let error = value as? any Error { writeError(error as NSError) }
        } else if type == AnyHashable.self, let value = value as? AnyHashable {
            writeValue(value.base, depth: depth)
        } else if type == DecodingError.self, let error = value as? DecodingError {
            out.append(TypeName.withoutAddresses("\(Self.withoutUnderlyingError(error))"))
        } else if let words = Self.words(of: value) {
            // A description that Swift has made may contain the name of a private type.
            out.append(TypeName.withoutAddresses(Self.beginning(of: words[...])))
        } else if type is AnyClass || TypeName.isAddress(type) {
            out.append(TypeName.full(type))
        } else {
            writeMirror(of: value, depth: depth)
        }
    }

    // MARK: Values with a text of their own

    /// Foundation's structs that contain an `NSError`.
    private static let wrappers = [
        ObjectIdentifier(URLError.self), ObjectIdentifier(CocoaError.self), ObjectIdentifier(POSIXError.self),
    ]

    /// Returns a value's own description, uncut; nil if its type has none, or one that would print all elements.
    ///
    /// An object whose description contains its address has the name of its type instead.
    package static func words(of value: Any) -> String? {
        let type = type(of: value)
        // The type is asked, since a cast of an optional value would look at its content instead.
        let isDescribed = type is any CustomStringConvertible.Type
        guard isDescribed || type is any CustomDebugStringConvertible.Type, !isMute(type) else { return nil }
        let described = isDescribed ? (value as? any CustomStringConvertible)?.description : nil
        let words = described ?? (value as? any CustomDebugStringConvertible)?.debugDescription
        guard type is AnyClass, let words else { return words }
        let address = String(UInt(bitPattern: ObjectIdentifier(value as AnyObject)), radix: 16)
        return beginning(of: words[...]).lowercased().contains(address) ? TypeName.full(type) : words
    }

    /// Whether a type's own description would print an address, or other values, which may be many or contain themselves.
    private static func isMute(_ type: Any.Type) -> Bool {
        if type is AnyClass {
            // An error may be a sequence of errors with a text about them all.
            let isList = type is any Sequence.Type && !(type is any Error.Type)
            return isList || type is AnyKeyPath.Type || type is NSData.Type
        }
        return type == EncodingError.self || isContainer(type) || TypeName.isAddress(type)
    }

    /// Whether values of a type contain others: the generic types of the standard library.
    static func isContainer(_ type: Any.Type) -> Bool {
        let name = TypeName.reflected(type)
        return name.hasPrefix("Swift.") && name.utf8.contains(UInt8(ascii: "<"))
    }

    /// Returns the part of a text that can be printed at most.
    private static func beginning(of text: Substring) -> String { String(text.unicodeScalars.prefix(byteLimit)) }

    /// Prints an error without its user info, which may be of any size and contain the error itself.
    private mutating func writeError(_ error: NSError) {
        out.append("Error Domain=")
        out.append(TypeName.withoutAddresses(Self.beginning(of: error.domain[...])))
        out.append(" Code=\(error.code) \"")
        out.append(TypeName.withoutAddresses(Self.beginning(of: error.withReason.localizedDescription[...])))
        out.append("\"")
    }

    /// The same error without the one under it, whose text may have no end.
    private static func withoutUnderlyingError(_ error: DecodingError) -> DecodingError {
        func bare(_ context: DecodingError.Context) -> DecodingError.Context {
            .init(codingPath: context.codingPath, debugDescription: context.debugDescription)
        }
        return switch error {
        case .typeMismatch(let type, let context): .typeMismatch(type, bare(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, bare(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, bare(context))
        case .dataCorrupted(let context): .dataCorrupted(bare(context))
        @unknown default:
            .dataCorrupted(.init(codingPath: [], debugDescription: "\(TypeName.full(DecodingError.self))"))
        }
    }
}
