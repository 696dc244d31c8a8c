import BoundedDescriptions
import ErrorRouting
import Foundation

/// A type and a case whose errors all have the same names and no underlying errors, as the types of the fields say.
///
/// So another such error needs no comparison by names, and nobody looks at its fields.
struct ErrorCase: Sendable {
    private let type: ObjectIdentifier
    /// The number of an enum's case; the same for all other errors.
    private let number: Int

    /// Looks at an error's fields.
    ///
    /// - Parameter error: The error.
    /// - Returns: Nil if another error of the type and case might have another domain or code, or underlying errors.
    init?(decidingKindOf error: any Error) {
        let type = Swift.type(of: error)
        if type is AnyClass || type is any CustomNSError.Type || type is any UnderlyingErrors.Type { return nil }
        if type is any CustomReflectable.Type { return nil }
        // The type of the field, and not of what is in it: that may be another one in the next error.
        func isPlain<Field>(_ field: Field) -> Bool { Self.isPlain(TypeName.reflected(Field.self)) }
        let fields = Mirror(reflecting: error).children
        guard fields.allSatisfy({ _openExistential($0.value, do: isPlain) }) else { return nil }
        (self.type, number) = (ObjectIdentifier(type), Self.number(of: error))
    }

    /// Returns whether an error is of the type and case.
    func includes(_ error: any Error) -> Bool {
        ObjectIdentifier(Swift.type(of: error)) == type && Self.number(of: error) == number
    }

    /// Whether a type's name is that of a type which most fields have, or of a tuple of them, as a case's payload is:
    /// `(code: Swift.Int, reason: Swift.String)`.
    private static func isPlain(_ name: String) -> Bool {
        let types = ["Swift.Int", "Swift.String", "Swift.Bool", "Swift.Double"]
        if types.contains(name) { return true }
        // A type in an extension of another module's type begins so too: `(extension in Shop):Swift.String.Lazy<…>`.
        guard name.hasPrefix("("), name.hasSuffix(")") else { return false }
        return name.dropFirst().dropLast().split(separator: ", ").allSatisfy { element in
            types.contains(String(element.split(separator: " ").last ?? ""))
        }
    }

    /// Not `_code`, which user code may define, but its default.
    private static func number(of error: any Error) -> Int {
        func number<Content: Error>(_ content: Content) -> Int { _getDefaultErrorCode(content) }
        // Opened explicitly, because the number of a box would be that of no case.
        return _openExistential(error, do: number)
    }
}
