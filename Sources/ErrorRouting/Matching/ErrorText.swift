import Foundation

/// What errors say of themselves, and what is said of them.
enum ErrorText {
    /// The error's type with its module: `Intake.PaymentError`.
    static func typeName(of error: any Error) -> String { typeName(type(of: error)) }

    /// A type with its module.
    static func typeName(_ type: Any.Type) -> String { TypeName.full(type) }

    /// The error as one would write it: `PaymentError.declined(code: 51)` for an enum's case, else its description.
    static func literal(_ error: any Error) -> String {
        let literal = ask {
            let text = BoundedPrinter.text(of: error)
            let prefix = "\(TypeName.short(type(of: error)))."
            return isEnum(error) && !text.hasPrefix(prefix) ? prefix + text : text
        }
        return OneLine.escaped(literal ?? typeName(of: error))
    }

    /// Any value in words, on one line.
    static func text(of value: Any) -> String {
        OneLine.escaped(ask { BoundedPrinter.text(of: value) } ?? TypeName.full(type(of: value)))
    }

    /// What the error has to say, whole, and before any escaping.
    ///
    /// A `LocalizedError`'s own description comes first; an error that knows its domain and code says what Foundation
    /// says for them; one that has a description says that; every other error is printed as Swift prints it, but
    /// bounded, since `localizedDescription` says no more than its type and a number. Coding errors are
    /// `LocalizedError`s on Linux, but only their description has the path.
    ///
    /// What speaks for itself is asked once, and never reflected. For the others a field that is `unowned` and whose
    /// object is gone is a trap, as in `print(error)`: a mirror cannot tell it from other fields.
    static func message(of error: any Error) -> String {
        ask { said(by: error) } ?? typeName(of: error)
    }

    private static func said(by error: any Error) -> String {
        if !(error is DecodingError || error is EncodingError) {
            if let text = (error as? any LocalizedError)?.errorDescription { return text }
            if hasDomainOfItsOwn(error) { return withoutAddresses((error as NSError).localizedDescription) }
            if let text = BoundedPrinter.words(of: error) { return text }
        }
        return BoundedPrinter.text(of: error)
    }

    /// Whether domain and code say more than type and case do: for `NSError` objects and `CustomNSError`s.
    static func hasDomainOfItsOwn(_ error: any Error) -> Bool {
        type(of: error) is NSError.Type || error is any CustomNSError
    }

    /// A text in which Foundation names an error's type, as its domain: a private type's name has an address.
    private static func withoutAddresses(_ text: String) -> String {
        // What is longer is somebody's own, and not gone through.
        text.utf8.count > OneLine.limit ? text : TypeName.withoutAddresses(text)
    }

    /// Domain and code, where they say more than type and case do.
    static func code(of error: any Error) -> (domain: String, code: Int)? {
        let code = ask { () -> (domain: String, code: Int)? in
            guard hasDomainOfItsOwn(error) else { return nil }
            let error = error as NSError
            return (withoutAddresses(error.domain), error.code)
        }
        return code ?? nil
    }

    /// Its mirror is asked for no more than the kind of type, and not at all where it is the user's own.
    private static func isEnum(_ error: any Error) -> Bool {
        guard !(type(of: error) is AnyClass), !(error is any CustomReflectable) else { return false }
        return Mirror(reflecting: error).displayStyle == .enum
    }
}
