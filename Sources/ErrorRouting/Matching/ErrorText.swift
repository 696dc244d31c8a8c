import BoundedDescriptions
import Foundation

/// The strings that describe errors.
///
/// They come from user code: descriptions, mirrors, and user infos. If user code is nested too deeply, the string is
/// the name of the error's type.
enum ErrorText {
    /// Returns the name of the error's type with its module: `Intake.PaymentError`.
    ///
    /// An `NSError` object in the domain of one of Foundation's Swift types is named after that type, because on
    /// Apple's platforms all errors of that type are such objects.
    static func typeName(of error: any Error) -> String {
        let name = TypeName.full(type(of: error))
        // Keep the name of a Swift subclass, which includes a module: its `domain` might be user code. The name of an
        // Objective-C class, such as one of Foundation's own subclasses, has no module.
        guard type(of: error) is NSError.Type, type(of: error) == NSError.self || !name.contains(".") else {
            return name
        }
        return TypeName.full(NSErrorBridge.swiftType(ofDomain: (error as NSError).domain) ?? NSError.self)
    }

    /// Returns an enum's case as in source code, `PaymentError.declined(code: 51)`; for other errors, the description.
    static func literal(_ error: any Error) -> String {
        let literal = PerThread.inUserCode {
            let text = BoundedPrinter.text(of: error)
            // Don't add the type's name if the enum has its own mirror, which might not show the case.
            guard EnumCase.name(of: error) != nil, !(error is any CustomReflectable) else { return text }
            let prefix = "\(TypeName.short(type(of: error)))."
            return text.hasPrefix(prefix) ? text : prefix + text
        }
        return OneLine.escaped(literal ?? typeName(of: error))
    }

    /// Returns a description of any value on one line.
    static func text(of value: Any) -> String {
        OneLine.escaped(PerThread.inUserCode { BoundedPrinter.text(of: value) } ?? TypeName.full(type(of: value)))
    }

    /// Returns the error's message, neither truncated nor escaped.
    ///
    /// The message is the first of these that applies: the `errorDescription` of a `LocalizedError`; Foundation's
    /// `localizedDescription`, for an error with its own domain; the error's own description; the error as Swift prints
    /// it, but bounded. In the last case, `localizedDescription` would contain only the type and a number. Coding
    /// errors are an exception: on Linux they are `LocalizedError`s, but only their description contains the coding
    /// path.
    ///
    /// An error's own description is read once, and an error that has a description is never reflected. In other
    /// errors, reading an `unowned` field whose object no longer exists traps, as in `print(error)`, because a mirror
    /// can't recognize such a field.
    static func message(of error: any Error) -> String { messageAndFields(of: error).message }

    /// Returns the error's message, together with its fields if they were read for the message.
    static func messageAndFields(of error: any Error) -> (message: String, fields: ReflectedFields?) {
        PerThread.inUserCode { unguardedMessage(of: error) } ?? (typeName(of: error), nil)
    }

    private static func unguardedMessage(of error: any Error) -> (message: String, fields: ReflectedFields?) {
        let type = type(of: error)
        if type != DecodingError.self, type != EncodingError.self {
            // Check the type first, here and below: a cast that fails costs four times as much as the check.
            if type is any LocalizedError.Type, let text = (error as? any LocalizedError)?.errorDescription {
                return (text, nil)
            }
            if hasDomainOfItsOwn(error) {
                return (withoutAddresses((error as NSError).withReason.localizedDescription), nil)
            }
            if let text = BoundedPrinter.words(of: error) { return (text, nil) }
        }
        let printer = BoundedPrinter(printing: error)
        return (printer.text, printer.fields)
    }

    /// Whether an error has its own domain and code, such as an `NSError` object or a `CustomNSError`.
    static func hasDomainOfItsOwn(_ error: any Error) -> Bool {
        let type = type(of: error)
        return type is NSError.Type || type is any CustomNSError.Type
    }

    /// Removes addresses from a Foundation string that might contain a private type's name as an error's domain.
    private static func withoutAddresses(_ text: String) -> String {
        // Don't search longer strings: they come from the user's code.
        text.utf8.count > OneLine.limit ? text : TypeName.withoutAddresses(text)
    }

    /// Returns the error's domain, neither truncated nor escaped, and its code if it has its own; otherwise nil.
    static func domainAndCode(of error: any Error) -> (domain: String, code: Int)? {
        guard hasDomainOfItsOwn(error) else { return nil }
        return PerThread.inUserCode {
            let error = error as NSError
            return (withoutAddresses(error.domain), error.code)
        }
    }

    /// Whether two errors have the same type and message.
    static func looksSame(_ first: any Error, _ second: any Error) -> Bool {
        typeName(of: first) == typeName(of: second) && message(of: first) == message(of: second)
    }
}
