import BoundedDescriptions
import ErrorRouting
package import Foundation

/// The error types whose values are recorded, so that a replay can rebuild the errors.
///
/// A recorder writes values of these types only: what else is in an error than its texts may be secret, or large. Give
/// the same types to the ``ErrorRecorder`` and to the `Replay` of `ErrorReplay`:
///
/// ```swift
/// import ErrorRecording
///
/// enum OrderError: Error, Codable { case overLimit(cents: Int), noLines }
///
/// let rebuildable = RebuildableErrors().adding(OrderError.self)
/// ```
///
/// You don't need to add `NSError` objects, or Foundation's `URLError`, `CocoaError` and `POSIXError`, which are
/// rebuilt by their domain and code. Known too are `CancellationError`, `DecodingError` without what was decoded, and
/// the errors of `ErrorRouting`: `ErrorsDropped`, `ActionTimeLimitExceeded`, and an `ActionFailure` whose thrown error
/// can be rebuilt. `NetworkError` of `HTTPErrors`, and `CircuitOpen` and `CircuitChanged` of `ErrorRecovery`, are
/// `Codable`: add them, and the types of the service's own errors under them.
public struct RebuildableErrors: Sendable {
    /// How errors of a type are coded; both closures receive how errors within these errors are coded.
    struct Coding: Sendable {
        let encode: @Sendable (any Error, InnerCoding) throws -> Data?
        let decode: @Sendable (Data, InnerCoding) throws -> (any Error)?
    }

    /// By the full name of the type, as records have it.
    private var codings = Self.known

    /// The length in bytes of the longest value that is recorded.
    static let valueLimit = 64 << 10

    /// Makes a set with the types that need not be added.
    public init() {}

    /// Returns this set with a type added.
    ///
    /// If two types have the same name, as two private types in different files may, the one that is added last counts.
    ///
    /// - Parameter type: The type. Its values are coded as JSON, on the recorder's own thread; a value that throws when
    ///   it is encoded, or takes more than 64 KiB, is left out of its record.
    /// - Returns: The set with the type.
    public func adding<E: Error & Codable>(_ type: E.Type) -> Self {
        adding(type, encoding: { $0 }, decoding: { $0 })
    }

    /// Returns this set with a type added that is not `Codable`, such as one of another module.
    ///
    /// What rules ask of an error is to be in its code: a rebuilt error is compared with the recorded one by type,
    /// case, domain and code, and by the errors under it.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - encode: Returns what is recorded of an error; nil, or an error, for nothing.
    ///   - decode: Returns the error; nil, or an error, if it cannot be rebuilt.
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

    /// Returns how errors of a type are coded.
    static func coding<E: Error, Code: Codable & Sendable>(
        encoding encode: @escaping @Sendable (E) throws -> Code?,
        decoding decode: @escaping @Sendable (Code) throws -> E?
    ) -> Coding {
        Coding { error, inner in
            // Another type may have the same name.
            guard let error = error as? E else { return nil }
            return try encode(error).map { code in
                try CurrentErrorCoding.$value.withValue(inner) { try encoder.encode(code) }
            }
        } decode: { data, inner in
            try decode(CurrentErrorCoding.$value.withValue(inner) { try decoder.decode(Code.self, from: data) })
        }
    }

    /// Returns an error's value as JSON; nil if its type was not added, or if the value cannot be written.
    func value(of error: any Error, named typeName: String, depth: Int = 0) -> String? {
        let inner = InnerCoding(set: self, depth: depth + 1)
        // error-audit: harmless, because the line is written without the value, and has the error's message
        guard let data = try? codings[typeName]?.encode(error, inner), data.count <= Self.valueLimit else { return nil }
        return String(data: data, encoding: .utf8)
    }

    /// Returns the error of a value; nil if its type was not added, or the value is another type's.
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

/// Codes the errors within an error, by the same types.
struct InnerCoding: ErrorCoding {
    /// How deep errors within errors are coded: each level escapes the text of the levels below it.
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
