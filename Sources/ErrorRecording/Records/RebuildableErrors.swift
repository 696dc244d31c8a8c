import BoundedDescriptions
import ErrorRouting
import Foundation

/// The error types whose values are recorded, so that a replay can rebuild the errors.
///
/// A recorder writes values of these types only: what else is in an error than its texts may be secret, or large. Give
/// the same types to the ``ErrorRecorder`` and to the ``Replay``:
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
/// rebuilt by their domain and code. `CancellationError` and the errors of `ErrorRouting` are known too:
/// `ErrorsDropped`, `ActionTimeLimitExceeded`, and an `ActionFailure` whose thrown error can be rebuilt.
public struct RebuildableErrors: Sendable {
    /// How errors of a type are coded; both closures receive the set, for errors within errors.
    struct Coding: Sendable {
        let encode: @Sendable (any Error, RebuildableErrors) throws -> Data?
        let decode: @Sendable (Data, RebuildableErrors) throws -> (any Error)?
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
        result.codings[TypeName.full(type)] = Self.coding { error, _ in
            try encode(error)
        } decoding: { code, _ in
            try decode(code)
        }
        return result
    }

    /// Returns how errors of a type are coded.
    static func coding<E: Error, Code: Codable & Sendable>(
        encoding encode: @escaping @Sendable (E, RebuildableErrors) throws -> Code?,
        decoding decode: @escaping @Sendable (Code, RebuildableErrors) throws -> E?
    ) -> Coding {
        Coding { error, set in
            // Another type may have the same name.
            guard let error = error as? E else { return nil }
            return try encode(error, set).map { try encoder.encode($0) }
        } decode: { data, set in
            try decode(decoder.decode(Code.self, from: data), set)
        }
    }

    /// Returns an error's value as JSON; nil if its type was not added, or if the value cannot be written.
    func value(of error: any Error, named typeName: String) -> String? {
        // error-audit: harmless, because the line is written without the value, and has the error's message
        guard let data = try? codings[typeName]?.encode(error, self), data.count <= Self.valueLimit else { return nil }
        return String(data: data, encoding: .utf8)
    }

    /// Returns the error of a record; nil if it cannot be rebuilt.
    ///
    /// Not rebuilt either is an error that comes out as another one than was recorded: with another case, domain or
    /// code, or without the errors under it. Rules might then match what they would not have matched.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - value: The error's value as JSON, instead of the record's.
    ///   - errorCase: What another error of the record was rebuilt as, if that is all to compare with.
    func error(of record: ReplayedRecord, value: Data?, like errorCase: ErrorCase? = nil) -> (any Error)? {
        guard let error = rebuilt(record, value) else { return nil }
        if let errorCase { return errorCase.includes(error) ? error : nil }
        let report = ErrorReport(error: error, source: ErrorReport.Source())
        var kind = report.kind
        let isOfType = kind.typeName == record.type || Self.isFoundations(record.type)
        let isSame =
            isOfType && kind.caseName == record.caseName && kind.domainAndCode?.domain == record.domain
            && kind.domainAndCode?.code == record.code
            && report.underlyingFingerprints == (record.trail ?? []).map(\.fingerprint)
        return isSame ? error : nil
    }

    private func rebuilt(_ record: ReplayedRecord, _ value: Data?) -> (any Error)? {
        rebuilt(record.type, record.domain, record.code, value)
    }

    /// Returns the error of a type's name and of a value, or of a domain and a code.
    func rebuilt(_ type: String, _ domain: String?, _ code: Int?, _ value: Data?) -> (any Error)? {
        // error-audit: harmless, because the replay counts the errors that it can't rebuild
        if let value { return try? codings[type]?.decode(value, self) }
        guard Self.isFoundations(type), let domain, let code else { return nil }
        return Self.foundation(domain, code)
    }

    /// Whether a type was added, by its full name.
    func isAdded(_ typeName: String) -> Bool { codings[typeName] != nil }

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

    // MARK: Foundation's errors

    /// Whether a type is one of Foundation's that are rebuilt without being added.
    ///
    /// The module of such a type differs between platforms, and errors of a server may be replayed elsewhere.
    static func isFoundations(_ typeName: String) -> Bool {
        let parts = typeName.split(separator: ".")
        let hasModule = parts.count == 2 && (parts[0].hasPrefix("Foundation") || parts[0] == "__C")
        return (hasModule || parts.count == 1)
            && ["NSError", "URLError", "CocoaError", "POSIXError"].contains(parts[parts.count - 1])
    }

    /// Returns Foundation's error of a domain and a code: the Swift type of the domain, if there is one that has the
    /// code, else an `NSError`.
    private static func foundation(_ domain: String, _ code: Int) -> any Error {
        let error = NSError(domain: domain, code: code)
        if let error = ErrorMatcher.type(URLError.self).match(error) { return error }
        if let error = ErrorMatcher.type(CocoaError.self).match(error) { return error }
        return ErrorMatcher.type(POSIXError.self).match(error) ?? error
    }
}
