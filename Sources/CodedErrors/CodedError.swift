import ErrorRouting
package import Foundation

/// An encodable form of an error: the name of its type, and the data to rebuild it.
///
/// It is used for errors inside other errors, such as a cause, because the outer error's type doesn't determine their
/// types. The writer and the reader have a list of the types and bind ``CurrentErrorCoding``.
package struct CodedError: Codable, Sendable {
    /// The full name of the error's type.
    package let type: String
    /// The error's domain and code, if it defines them; they suffice for Foundation's errors.
    package let domain: String?
    package let code: Int?
    /// The error's value as JSON; nil if its type is unknown.
    package let value: String?

    /// Creates the encodable form of an error inside another error.
    package init(_ error: any Error) {
        let report = ErrorReport(error: error, source: .init())
        let domainAndCode = report.domainAndCode
        type = report.typeName
        (domain, code) = (domainAndCode?.domain, domainAndCode?.code)
        value = CurrentErrorCoding.value?.value(of: error, named: type)
    }

    /// Whether the error can be rebuilt.
    package var isRebuildable: Bool { value != nil || FoundationErrors.contains(typeName: type) && domain != nil }

    /// Returns the error; nil if it can't be rebuilt.
    package func error() -> (any Error)? {
        if let value { return CurrentErrorCoding.value?.error(named: type, Data(value.utf8)) }
        return FoundationErrors.error(typeName: type, domain: domain, code: code)
    }
}

/// Codes the values of errors by the names of their types.
package protocol ErrorCoding: Sendable {
    /// Returns an error's value as JSON; nil if its type is unknown.
    func value(of error: any Error, named typeName: String) -> String?
    /// Returns the error with a given value; nil if its type is unknown or the value belongs to another type.
    func error(named typeName: String, _ value: Data) -> (any Error)?
}

/// Codes the errors inside the error that the current task is coding.
///
/// It is a task-local value instead of a coder's `userInfo`, because a coder copies its `userInfo` for each error.
package enum CurrentErrorCoding {
    /// The coding; nil if the program codes an error without the library.
    @TaskLocal package static var value: (any ErrorCoding)?
}

/// An error that is encoded as a form, which contains only the parts that rules check when the error is replayed.
package protocol CodedByForm: Codable {
    /// The parts of the error.
    associatedtype Form: Codable
    /// The parts of this error that are encoded.
    var form: Form { get }
    /// Creates the error with a given form; nil if a required part is unknown to this version.
    init?(_ form: Form)
}

extension CodedByForm {
    /// Reads the error from its form.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: The errors that the decoder throws, and a `DecodingError` if a required part of the form is unknown.
    public init(from decoder: any Decoder) throws {
        guard let error = try Self(Form(from: decoder)) else {
            let unknown = "a part of the \(Self.self) is not known"
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: unknown))
        }
        self = error
    }

    /// Writes the error's form.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The errors that the encoder throws.
    public func encode(to encoder: any Encoder) throws { try form.encode(to: encoder) }
}
