package import Foundation

/// An error in a form for writing and reading: the name of its type, and the data to rebuild it.
///
/// It is for errors inside other errors, such as a cause, because the outer error's type doesn't determine their types.
/// The writer and the reader have a list of the types, and bind ``CurrentErrorCoding``.
package struct CodedError: Codable, Sendable {
    /// The full name of the error's type.
    package let type: String
    /// The error's domain and code, if it defines them: enough for Foundation's errors.
    package let domain: String?
    package let code: Int?
    /// The error's value as JSON; nil if its type is unknown.
    package let value: String?

    /// Codes an error inside another one.
    package init(_ error: any Error) {
        let domainAndCode = ErrorText.domainAndCode(of: error)
        type = ErrorText.typeName(of: error)
        (domain, code) = (domainAndCode?.domain, domainAndCode?.code)
        value = CurrentErrorCoding.value?.value(of: error, named: type)
    }

    /// Whether the error can be rebuilt.
    package var isRebuildable: Bool { value != nil || Self.isFoundations(type) && domain != nil }

    /// Returns the error; nil if it can't be rebuilt.
    package func error() -> (any Error)? {
        if let value { return CurrentErrorCoding.value?.error(named: type, Data(value.utf8)) }
        guard Self.isFoundations(type), let domain, let code else { return nil }
        return Self.foundation(domain, code)
    }

    /// Whether a type is one of Foundation's types that are rebuilt by their domain and code.
    ///
    /// The module of such a type differs between platforms, and errors of a server might be replayed elsewhere.
    package static func isFoundations(_ typeName: String) -> Bool {
        let parts = typeName.split(separator: ".")
        let hasModule = parts.count == 2 && (parts[0].hasPrefix("Foundation") || parts[0] == "__C")
        return (hasModule || parts.count == 1)
            && ["NSError", "URLError", "CocoaError", "POSIXError"].contains(parts[parts.count - 1])
    }

    /// Returns Foundation's error of a domain and a code.
    ///
    /// It is the domain's Swift type, if there is one that has the code; otherwise an `NSError`.
    package static func foundation(_ domain: String, _ code: Int) -> any Error {
        let error = NSError(domain: domain, code: code)
        return NSErrorBridge.swiftError(error) ?? error
    }
}

/// Codes the values of errors by the names of their types.
package protocol ErrorCoding: Sendable {
    /// Returns an error's value as JSON; nil if its type is unknown.
    func value(of error: any Error, named typeName: String) -> String?
    /// Returns the error of a value; nil if its type is unknown, or the value belongs to another type.
    func error(named typeName: String, _ value: Data) -> (any Error)?
}

/// Codes the errors inside the error that the current task is coding.
///
/// It is a task-local value, because a coder with a user info copies it for each error that it codes.
package enum CurrentErrorCoding {
    /// The coding; nil if the program codes an error by itself.
    @TaskLocal package static var value: (any ErrorCoding)?
}
