import BoundedDescriptions
import ErrorRouting
package import Foundation

/// The types of errors that a recorder records with their values, so that a replay can rebuild the errors.
///
/// A recorder writes values of these types only, because an error might contain secret or large data in addition to its
/// message. Pass the same types to the ``ErrorRecorder`` and to the `Replay` of `ErrorReplay`:
///
/// ```swift
/// import ErrorRecording
///
/// enum OrderError: Error, Codable { case overLimit(cents: Int), noLines }
///
/// let rebuildable = RebuildableErrors().adding(OrderError.self)
/// ```
///
/// You don't need to add the following types:
///
/// - `NSError`, and Foundation's `URLError`, `CocoaError`, and `POSIXError`: rebuilt by their domain and code.
/// - `CancellationError`.
/// - `DecodingError`: recorded without the input.
/// - `ErrorsDropped` and `ActionTimeLimitExceeded` of `ErrorRouting`.
/// - `ActionFailure` of `ErrorRouting`, if its thrown error can be rebuilt.
///
/// `NetworkError` of `HTTPErrors`, and `CircuitOpen` and `CircuitChanged` of `ErrorRecovery`, are `Codable`. Add them,
/// and the service's own error types that they wrap.
public struct RebuildableErrors: Sendable {
    /// Encodes and decodes errors of one type; both closures receive a coding for the errors inside an error.
    struct Coding: Sendable {
        let encode: @Sendable (any Error, InnerCoding) throws -> Data?
        let decode: @Sendable (Data, InnerCoding) throws -> (any Error)?
    }

    /// The codings by the full type name, as in records.
    private var codings = Self.known

    /// The maximum length of a recorded value in bytes.
    static let valueLimit = 64 << 10

    /// Creates a set with the types that you don't need to add.
    public init() {}

    /// Returns this set with a type added.
    ///
    /// Two types can have the same name, such as two private types in different files. Then the set uses the one that
    /// was added last.
    ///
    /// - Parameter type: The type. The recorder encodes its values as JSON, on its own thread. If encoding a value
    ///   throws or takes more than 64 KiB, the record has no value.
    /// - Returns: The set with the type.
    public func adding<E: Error & Codable>(_ type: E.Type) -> Self {
        adding(type, encoding: { $0 }, decoding: { $0 })
    }

    /// Returns this set with a type added that isn't `Codable`, such as a type from another module.
    ///
    /// The code must contain everything that rules read from the error. A replay compares a rebuilt error with the
    /// recorded one by type, case, domain, and code, and by the underlying errors.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - encode: Returns the code to record for an error. If it returns nil or throws, nothing is recorded.
    ///   - decode: Returns the error. If it returns nil or throws, the error can't be rebuilt.
    /// - Returns: The set with the type.
    public func adding<E: Error, Code: Codable & Sendable>(
        _ type: E.Type,
        encoding encode: @escaping @Sendable (E) throws -> Code?,
        decoding decode: @escaping @Sendable (Code) throws -> E?
    ) -> Self {
        var result = self
        result.codings[TypeName.full(type)] = Self.coding(encoding: encode, decoding: decode)
        return result
    }

    /// Returns the coding of a type.
    static func coding<E: Error, Code: Codable & Sendable>(
        encoding encode: @escaping @Sendable (E) throws -> Code?,
        decoding decode: @escaping @Sendable (Code) throws -> E?
    ) -> Coding {
        Coding { error, inner in
            // Check the type: another type might have the same name.
            guard let error = error as? E else { return nil }
            return try encode(error).map { code in
                try CurrentErrorCoding.$value.withValue(inner) { try encoder.encode(code) }
            }
        } decode: { data, inner in
            try decode(CurrentErrorCoding.$value.withValue(inner) { try decoder.decode(Code.self, from: data) })
        }
    }

    /// Returns an error's value as JSON; nil if its type was not added, or if the value can't be written.
    func value(of error: any Error, named typeName: String, depth: Int = 0) -> String? {
        let inner = InnerCoding(set: self, depth: depth + 1)
        // error-audit: harmless, because the line is written without the value, and has the error's message
        guard let data = try? codings[typeName]?.encode(error, inner), data.count <= Self.valueLimit else { return nil }
        return String(data: data, encoding: .utf8)
    }

    /// Returns the error of a value; nil if its type was not added, or if the value belongs to another type.
    package func error(named typeName: String, _ value: Data, depth: Int = 0) -> (any Error)? {
        // error-audit: harmless, because the replay counts the errors that it can't rebuild
        try? codings[typeName]?.decode(value, InnerCoding(set: self, depth: depth + 1))
    }

    /// Whether a type was added, by its full name.
    package func isAdded(_ typeName: String) -> Bool { codings[typeName] != nil }

    // MARK: Coding

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }()

    private static let decoder = {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }()
}

/// Encodes and decodes the errors inside an error, with the same set of types.
struct InnerCoding: ErrorCoding {
    /// The maximum nesting of encoded errors: each layer escapes the text of the layers inside it.
    private static let limit = 4

    let set: RebuildableErrors
    let depth: Int

    func value(of error: any Error, named typeName: String) -> String? {
        depth > Self.limit ? nil : set.value(of: error, named: typeName, depth: depth)
    }

    func error(named typeName: String, _ value: Data) -> (any Error)? {
        depth > Self.limit ? nil : set.error(named: typeName, value, depth: depth)
    }
}
