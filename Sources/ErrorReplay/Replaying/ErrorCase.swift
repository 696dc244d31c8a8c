import BoundedDescriptions
import ErrorRouting
import Foundation

/// Identifies a type and a case if all their errors have the same names and no underlying errors.
///
/// The types of the fields guarantee this.
///
/// So another such error needs no comparison by names, and its fields aren't inspected.
struct ErrorCase: Sendable {
    private let type: ObjectIdentifier
    /// The number of an enum's case; the same for all errors that aren't enums.
    private let number: Int

    /// Inspects the fields of an error.
    ///
    /// - Parameter error: The error.
    /// - Returns: Nil if another error of the type and case might have another domain or code, or underlying errors.
    init?(decidingKindOf error: any Error) {
        let type = Swift.type(of: error)
        if type is AnyClass || type is any CustomNSError.Type || type is any UnderlyingErrorsProviding.Type {
            return nil
        }
        if type is any CustomReflectable.Type { return nil }
        // Use the field's type, not the type of its content, which can differ in the next error.
        func isPlain<Field>(_ field: Field) -> Bool { Self.isPlain(TypeName.reflected(Field.self)) }
        let fields = Mirror(reflecting: error).children
        guard fields.allSatisfy({ _openExistential($0.value, do: isPlain) }) else { return nil }
        (self.type, number) = (ObjectIdentifier(type), Self.number(of: error))
    }

    /// Returns whether an error has this type and case.
    func includes(_ error: any Error) -> Bool {
        ObjectIdentifier(Swift.type(of: error)) == type && Self.number(of: error) == number
    }

    /// Whether a type's name is that of a common field type, or of a tuple of such types, as in a case's payload:
    /// `(code: Swift.Int, reason: Swift.String)`.
    private static func isPlain(_ name: String) -> Bool {
        let types = ["Swift.Int", "Swift.String", "Swift.Bool", "Swift.Double"]
        if types.contains(name) { return true }
        // Exclude a type in an extension of another module's type: `(extension in Shop):Swift.String.Lazy<…>`.
        guard name.hasPrefix("("), name.hasSuffix(")") else { return false }
        return name.dropFirst().dropLast().split(separator: ", ").allSatisfy { element in
            types.contains(String(element.split(separator: " ").last ?? ""))
        }
    }

    /// Returns the default of `_code`, which user code can override.
    private static func number(of error: any Error) -> Int {
        func number<Content: Error>(_ content: Content) -> Int { _getDefaultErrorCode(content) }
        // Open the box explicitly: the number of a box isn't that of a case.
        return _openExistential(error, do: number)
    }
}
