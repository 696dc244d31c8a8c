import Foundation

/// Prints any value with a bounded amount of work.
///
/// The printer uses a value's own description if the type has one, and its mirror if it doesn't. The printer visits at
/// most 1,024 children in total, to a depth of 16, and writes at most 16 KiB of UTF-8. `…` marks omissions. It doesn't
/// use the descriptions of containers such as `Array`, because they print all elements. It doesn't inspect class
/// instances or actors, because their state might be changing or guarded by a lock. It omits addresses, and it sorts
/// the elements of sets and dictionaries, so the string is the same in every run. If a set or dictionary doesn't fit,
/// its elements and everything after them are left out.
///
/// The printer can't detect a dangling `unowned` reference in a struct's field: reading it traps, as in `print`.
package struct BoundedPrinter {
    /// The maximum number of visited children.
    static let childLimit = 1_024
    /// The maximum depth to which values within values are visited.
    static let depthLimit = 16
    /// The maximum length of the string in bytes of UTF-8.
    static let byteLimit = 16 * 1024

    /// The number of visited children: elements, fields, and payloads.
    var childCount = 0
    var out = BoundedText(limit: byteLimit)

    /// The printed string.
    package var text: String { out.text }

    /// The fields of the printed value, if all of them were read; a caller that needs them can avoid a second mirror.
    package internal(set) var fields: ReflectedFields?

    /// Prints a value.
    package init(printing value: Any) { writeValue(value, depth: 0) }

    /// Returns a value's bounded description.
    package static func text(of value: Any) -> String { BoundedPrinter(printing: value).text }

    /// Prints a value at a depth, which is the number of values that contain it.
    mutating func writeValue(_ value: Any, depth: Int) {
        let type = type(of: value)
        if type == String.self || type == Substring.self {
            // Pass a substring: it shares the string's storage, so the string isn't copied.
            let text = value as? Substring ?? (value as? String)?[...] ?? ""
            if depth == 0 { out.append(text) } else { out.append(Self.beginning(of: text).debugDescription) }
        } else if type == Int.self, let number = value as? Int {
            // Print an integer here: the result is the same as below, without a check of the type's conformances and
            // name.
            out.append("\(number)")
        } else if type is NSError.Type || TypeName.isBridged(type) {
            if let error = value as? any Error { writeError(error as NSError) }
        } else if type == AnyHashable.self, let value = value as? AnyHashable {
            writeValue(value.base, depth: depth)
        } else if type == DecodingError.self, let error = value as? DecodingError {
            out.append(TypeName.withoutAddresses("\(Self.withoutUnderlyingError(error))"))
        } else if let words = Self.words(of: value) {
            // Remove addresses: a description that the compiler derived can contain the name of a private type.
            out.append(TypeName.withoutAddresses(Self.beginning(of: words[...])))
        } else if type is AnyClass || TypeName.isAddress(type) {
            out.append(TypeName.full(type))
        } else {
            writeMirror(of: value, depth: depth)
        }
    }

    // MARK: Own descriptions

    /// Returns a value's own description without truncating it.
    ///
    /// The result is nil if the type has no description or if its description would print all elements. If an object's
    /// description contains the object's address, the result is the name of its type.
    package static func words(of value: Any) -> String? {
        let type = type(of: value)
        // Check the type, not the value: casting an optional value would check the value inside it.
        let isDescribed = type is any CustomStringConvertible.Type
        guard isDescribed || type is any CustomDebugStringConvertible.Type, !isUnsuitable(type) else { return nil }
        let described = isDescribed ? (value as? any CustomStringConvertible)?.description : nil
        let words = described ?? (value as? any CustomDebugStringConvertible)?.debugDescription
        guard type is AnyClass, let words else { return words }
        let address = String(UInt(bitPattern: ObjectIdentifier(value as AnyObject)), radix: 16)
        return beginning(of: words[...]).lowercased().contains(address) ? TypeName.full(type) : words
    }

    /// Whether a type's own description would print an address or the values that a value of the type contains.
    ///
    /// There might be many contained values, or they might contain themselves.
    private static func isUnsuitable(_ type: Any.Type) -> Bool {
        if type is AnyClass {
            // Exempt errors: an error can be a sequence of errors and have one description for all of them.
            let isList = type is any Sequence.Type && !(type is any Error.Type)
            return isList || type is AnyKeyPath.Type || type is NSData.Type
        }
        return type == EncodingError.self || isContainer(type) || TypeName.isAddress(type)
    }

    /// Whether values of a type contain other values, like the standard library's generic types.
    static func isContainer(_ type: Any.Type) -> Bool {
        let name = TypeName.reflected(type)
        return name.hasPrefix("Swift.") && name.utf8.contains(UInt8(ascii: "<"))
    }

    /// Returns as much of a string's beginning as could be printed.
    private static func beginning(of text: Substring) -> String { String(text.unicodeScalars.prefix(byteLimit)) }

    /// Prints an error without its user info, which might be very large or contain the error itself.
    private mutating func writeError(_ error: NSError) {
        let domain = TypeName.withoutAddresses(Self.beginning(of: error.domain[...]))
        let message = TypeName.withoutAddresses(Self.beginning(of: error.withReason.localizedDescription[...]))
        out.append("Error Domain=\(domain) Code=\(error.code) \"\(message)\"")
    }

    /// Returns the error without its underlying error, because the underlying error's description might be endless.
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
