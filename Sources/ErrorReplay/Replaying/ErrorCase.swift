import BoundedDescriptions
import ErrorRouting
import Foundation

/// A type and case whose errors all have the same names and don't have underlying errors.
///
/// The types of the fields guarantee this. So another error of the type and case doesn't have to be compared by names,
/// and its fields aren't inspected.
struct ErrorCase: Sendable {
    private let type: ObjectIdentifier
    /// The number of the enum case; the same number for all errors that aren't enums.
    private let number: Int

    /// Inspects an error's type and the types of its fields.
    ///
    /// The result is nil if another error of the type and case might have another domain or code, or underlying errors.
    init?(decidingKindOf error: any Error) {
        let type = Swift.type(of: error)
        if type is AnyClass || type is any CustomNSError.Type || type is any UnderlyingErrorsProviding.Type {
            return nil
        }
        if type is any CustomReflectable.Type { return nil }
        // Check the type of the field instead of its content, because the next error's content might have another type.
        func isPlain<Field>(_ field: Field) -> Bool { Self.isPlain(TypeName.reflected(Field.self)) }
        let fields = Mirror(reflecting: error).children
        guard fields.allSatisfy({ _openExistential($0.value, do: isPlain) }) else { return nil }
        (self.type, number) = (ObjectIdentifier(type), Self.number(of: error))
    }

    /// Returns whether an error has this type and case.
    func includes(_ error: any Error) -> Bool {
        ObjectIdentifier(Swift.type(of: error)) == type && Self.number(of: error) == number
    }

    /// Returns whether a name is the name of a common field type, or of a tuple of such types.
    ///
    /// A case's payload can be such a tuple: `(code: Swift.Int, reason: Swift.String)`.
    private static func isPlain(_ name: String) -> Bool {
        let types = ["Swift.Int", "Swift.String", "Swift.Bool", "Swift.Double"]
        if types.contains(name) { return true }
        // Exclude a type in an extension of another module's type: `(extension in Shop):Swift.String.Lazy<…>`.
        guard name.hasPrefix("("), name.hasSuffix(")") else { return false }
        return name.dropFirst().dropLast().split(separator: ", ").allSatisfy { element in
            types.contains(String(element.split(separator: " ").last ?? ""))
        }
    }

    /// Returns the default value of `_code`, ignoring user code that overrides it.
    private static func number(of error: any Error) -> Int {
        func number<Content: Error>(_ content: Content) -> Int { _getDefaultErrorCode(content) }
        // Open the existential box explicitly, because the number of a box isn't the number of a case.
        return _openExistential(error, do: number)
    }
}
