import Foundation

/// How the values of a type are printed.
///
/// Depends on the type alone, since a dynamic cast of an optional value would look at its content instead.
enum TypeKind {
    /// How a collection is written.
    struct CollectionFormat {
        /// The name printed before the elements if the collection is part of another value; empty for arrays.
        let name: String
        /// Whether the elements are keys with values.
        let hasKeys: Bool
        /// Whether the order of the elements differs from run to run.
        let isUnordered: Bool

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

    /// `String` and `Substring`.
    case text
    /// Only the type's name is printed.
    case named
    /// The type's own description is printed.
    case spoken
    /// The object's own description is printed, unless it contains the object's address.
    case spokenObject
    /// An optional.
    case optional(any OptionalValue.Type)
    /// An `AnyHashable`.
    case hashable
    /// A range of the standard library, with the operator between its bounds.
    case range(String)
    /// A collection of the standard library or Foundation: its elements are printed.
    case collection(CollectionFormat)
    /// Another collection with a custom mirror: the mirror's elements are printed if it is a collection's, else the
    /// type's own description.
    case mirroredCollection(CollectionFormat)
    /// An `NSError`, or one of Foundation's error types that wrap one.
    case nsError
    /// A `DecodingError` or an `EncodingError`.
    case codingError
    /// A struct, an enum or a tuple without a description of its own, or an opaque value such as a function.
    case reflected

    init(of type: Any.Type) {
        if type == String.self || type == Substring.self {
            self = .text
        } else if type is AnyClass {
            self = Self.ofClass(type)
        } else if let type = type as? any OptionalValue.Type {
            self = .optional(type)
        } else {
            self = Self.ofValue(type, name: TypeName.reflected(type))
        }
    }

    private static func ofClass(_ type: Any.Type) -> TypeKind {
        if type is NSError.Type { return .nsError }
        // A collection's description prints all elements, a key path's may contain the address of a computed property.
        if type is any Sequence.Type || type is AnyKeyPath.Type || type is NSData.Type { return .named }
        return describesItself(type) ? .spokenObject : .named
    }

    /// Whether a type has a `description` or a `debugDescription`.
    static func describesItself(_ type: Any.Type) -> Bool {
        type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
    }

    private static func ofValue(_ type: Any.Type, name: String) -> TypeKind {
        if TypeName.isAddress(named: name) { return .named }
        if type == AnyHashable.self { return .hashable }
        if type == DecodingError.self || type == EncodingError.self { return .codingError }
        if type == URLError.self || type == CocoaError.self || type == POSIXError.self { return .nsError }
        // Its description is the number of bytes, but its mirror contains their address.
        if type == Data.self { return .spoken }
        if name.hasPrefix("Swift.Range<") { return .range("..<") }
        if name.hasPrefix("Swift.ClosedRange<") { return .range("...") }
        let isSpoken = describesItself(type) || type is any TextOutputStreamable.Type
        if isSpoken, type is any Collection.Type {
            let format = CollectionFormat(of: type, name: name)
            let libraries = ["Swift.", "Foundation.", "FoundationEssentials.", "FoundationInternationalization."]
            if libraries.contains(where: name.hasPrefix) { return .collection(format) }
            // A custom description may be meant to hide the elements; a custom mirror is meant to show them.
            if type is any CustomReflectable.Type { return .mirroredCollection(format) }
        }
        return isSpoken ? .spoken : .reflected
    }
}

/// `Optional` with any wrapped type.
protocol OptionalValue {
    /// Returns the content of an optional of this type; nil if it is empty.
    ///
    /// - Precondition: The value is of this type.
    static func content(of value: Any) -> Any?
}

extension Optional: OptionalValue {
    static func content(of value: Any) -> Any? {
        (value as? Self)?.map { $0 as Any }
    }
}
