import BoundedDescriptions
import CodedErrors
import ErrorRouting
package import Foundation

/// The error types whose values a recorder writes, so that a replay can rebuild the errors.
///
/// A recorder writes values of these types only, because an error might contain secret or large data that its message
/// doesn't contain. Pass the same types to the ``ErrorRecorder`` and to the `Replay` of `ErrorReplay`:
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
/// - `NSError`, and Foundation's `URLError`, `CocoaError`, and `POSIXError`: rebuilt from their domain and code.
/// - `CancellationError`.
/// - `DecodingError`: recorded without the input.
/// - `ErrorsDropped` and `ActionTimeLimitExceeded` from `ErrorRouting`.
/// - `ActionFailure` from `ErrorRouting`, if the error that the action threw can be rebuilt.
///
/// `NetworkError` from `HTTPErrors`, and `CircuitOpen` and `CircuitChanged` from `ErrorRecovery`, are `Codable`. Add
/// them and the service's own error types that they wrap.
public struct RebuildableErrors: Sendable {
    /// Encodes and decodes errors of one type.
    ///
    /// Both closures receive a coding for the errors inside an error.
    struct Coding: Sendable {
        let encode: @Sendable (any Error, InnerCoding) throws -> Data?
        let decode: @Sendable (Data, InnerCoding) throws -> (any Error)?
    }

    /// The codings by full type name, as it appears in records.
    private var codings = Self.known

    /// The maximum length of a recorded value in bytes.
    static let valueLimit = 64 << 10

    /// Creates a set with the types that you don't need to add.
    public init() {}

    /// Returns this set with a type added.
    ///
    /// Two types can have the same name, such as two private types in different files. The set then uses the type that
    /// was added last.
    ///
    /// - Parameter type: The type to add. The recorder encodes its values as JSON, on its own thread. If encoding a
    ///   value throws, or if the JSON is larger than 64 KiB, the record doesn't contain a value.
    /// - Returns: The set with the type.
    public func adding<E: Error & Codable>(_ type: E.Type) -> Self {
        adding(type, encoding: { $0 }, decoding: { $0 })
    }

    /// Returns this set with an added type that isn't `Codable`, such as a type from another module.
    ///
    /// The code must contain everything that rules read from the error. A replay compares a rebuilt error with the
    /// recorded error by type, case, domain, and code, and by the underlying errors.
    ///
    /// - Parameters:
    ///   - type: The type to add.
    ///   - encode: Returns the code to record for an error. If it returns nil or throws, the value isn't recorded.
    ///   - decode: Returns the error for a code. If it returns nil or throws, the error can't be rebuilt.
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
            // Check the type, because another type might have the same name.
            guard let error = error as? E else { return nil }
            return try encode(error).map { code in
                try CurrentErrorCoding.$value.withValue(inner) { try encoder.encode(code) }
            }
        } decode: { data, inner in
            try decode(CurrentErrorCoding.$value.withValue(inner) { try decoder.decode(Code.self, from: data) })
        }
    }

    /// Returns an error's value as JSON; nil if its type wasn't added, or if the value can't be encoded.
    func value(of error: any Error, named typeName: String, depth: Int = 0) -> String? {
        let inner = InnerCoding(set: self, depth: depth + 1)
        // error-audit: harmless, because the line is written without the value, and has the error's message
        guard let data = try? codings[typeName]?.encode(error, inner), data.count <= Self.valueLimit else { return nil }
        return String(data: data, encoding: .utf8)
    }

    /// Returns the error for a value; nil if its type wasn't added, or if the value belongs to another type.
    package func error(named typeName: String, _ value: Data, depth: Int = 0) -> (any Error)? {
        // error-audit: harmless, because the replay counts the errors that it can't rebuild
        try? codings[typeName]?.decode(value, InnerCoding(set: self, depth: depth + 1))
    }

    /// Returns whether a type with the given full name was added.
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
    /// The maximum nesting of encoded errors, which is small because each layer escapes the JSON of the layers inside
    /// it.
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
