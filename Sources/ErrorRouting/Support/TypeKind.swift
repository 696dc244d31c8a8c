import Foundation

/// What a printer may do with the values of a type.
///
/// Told from the type alone: asking a value by a cast would ask what is in it, where it is an optional.
enum TypeKind {
    /// How a collection is written.
    struct CollectionFormat {
        /// What stands before the elements where the collection is in another value; empty for arrays.
        let name: String
        /// Whether its elements are keys with values.
        let hasKeys: Bool
        /// Whether its elements come in an order that changes from run to run.
        let isUnordered: Bool
    }

    /// `String` and `Substring`.
    case text
    /// Only its type is named.
    case named
    /// It speaks for itself.
    case spoken
    /// It speaks for itself, and may say its address.
    case spokenObject
    /// It is an optional.
    case optional(any OptionalValue.Type)
    /// It is an `AnyHashable`.
    case hashable
    /// It is a range of the standard library, with the sign between its bounds.
    case range(String)
    /// It is a collection of the standard library or Foundation: its elements are printed.
    case collection(CollectionFormat)
    /// It is somebody else's collection: its elements are printed if its mirror shows them, else it speaks for itself.
    case mirroredCollection(CollectionFormat)
    /// It is an `NSError`, or one of Foundation's errors that are made of one.
    case nsError
    /// It is a `DecodingError` or an `EncodingError`.
    case codingError
    /// It is a struct, an enum or a tuple that does not speak for itself, or something opaque.
    case reflected

    init(of type: Any.Type) {
        if type == String.self || type == Substring.self {
            self = .text
        } else if type is AnyClass {
            self = Self.ofClass(type)
        } else if let type = type as? any OptionalValue.Type {
            self = .optional(type)
        } else {
            self = Self.ofValue(type, name: String(reflecting: type))
        }
    }

    private static func ofClass(_ type: Any.Type) -> TypeKind {
        if type is NSError.Type { return .nsError }
        // A collection's description has all that is in it, a key path's the address of what it computes.
        if type is any Sequence.Type || type is AnyKeyPath.Type || type is NSData.Type { return .named }
        return type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
            ? .spokenObject : .named
    }

    private static func ofValue(_ type: Any.Type, name: String) -> TypeKind {
        if TypeName.isAddress(type) { return .named }
        if type == AnyHashable.self { return .hashable }
        if type == DecodingError.self || type == EncodingError.self { return .codingError }
        if type == URLError.self || type == CocoaError.self || type == POSIXError.self { return .nsError }
        // It says how many bytes it has; its mirror has their address.
        if type == Data.self { return .spoken }
        if name.hasPrefix("Swift.Range<") { return .range("..<") }
        if name.hasPrefix("Swift.ClosedRange<") { return .range("...") }
        let speaks =
            type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
            || type is any TextOutputStreamable.Type
        if speaks, type is any Collection.Type {
            let format = CollectionFormat(of: type, name: name)
            let libraries = ["Swift.", "Foundation.", "FoundationEssentials.", "FoundationInternationalization."]
            if libraries.contains(where: name.hasPrefix) { return .collection(format) }
            // What it says may be meant to hide what is in it; a mirror of its own is meant to show it.
            if type is any CustomReflectable.Type { return .mirroredCollection(format) }
        }
        return speaks ? .spoken : .reflected
    }
}

extension TypeKind.CollectionFormat {
    fileprivate init(of type: Any.Type, name: String) {
        let isDictionary = name.hasPrefix("Swift.Dictionary<")
        hasKeys = type is any ExpressibleByDictionaryLiteral.Type
        isUnordered = isDictionary || name.hasPrefix("Swift.Set<")
        if isDictionary, !hasKeys {
            self.name = "Dictionary." + TypeName.short(type)
        } else if hasKeys || name.hasPrefix("Swift.Array<") || type == IndexPath.self {
            self.name = ""
        } else {
            self.name = String(TypeName.short(type).prefix { $0 != "<" })
        }
    }
}

/// An optional of any kind.
protocol OptionalValue {
    /// What is in an optional of this type; nil where there is nothing.
    ///
    /// - Precondition: The value is of this type.
    static func content(of value: Any) -> Any?
}

extension Optional: OptionalValue {
    static func content(of value: Any) -> Any? {
        guard let optional = value as? Self else { return nil }
        return optional.map { $0 as Any }
    }
}
