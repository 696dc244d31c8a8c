import BoundedDescriptions
import CodedErrors
import ErrorRouting
import Foundation

/// The types that every set contains.
extension RebuildableErrors {
    static let known: [String: Coding] = [
        TypeName.full(CancellationError.self): coding { (_: CancellationError) in
            Nothing()
        } decoding: { _ in
            CancellationError()
        },
        TypeName.full(DecodingError.self): coding {
            DecodingForm(error: $0)
        } decoding: {
            $0.error
        },
        TypeName.full(ErrorsDropped.self): coding { (error: ErrorsDropped) in
            Drops(count: error.count, byType: error.byType)
        } decoding: { drops in
            ErrorsDropped(count: drops.count, byType: drops.byType)
        },
        TypeName.full(ActionTimeLimitExceeded.self): coding { (error: ActionTimeLimitExceeded) in
            error.limit
        } decoding: { limit in
            ActionTimeLimitExceeded(limit: limit)
        },
        TypeName.full(ActionFailure.self): coding {
            FailureForm(failure: $0)
        } decoding: {
            $0.failure
        },
    ]

    private struct Nothing: Codable {}

    private struct Drops: Codable {
        let count: Int
        let byType: [String: Int]
    }
}

/// The recorded fields of a failed action.
///
/// The handled report's metadata is left out, because that report's own record contains it.
private struct FailureForm: Codable {
    private enum CodingKeys: CodingKey { case thrown, handled, role, source, scope, matcher, ruleSource }

    /// A replacement for the error that the action was handling, if that error can't be rebuilt.
    private struct NotRebuilt: Error, CustomStringConvertible { let description: String }

    private struct Location: Codable {
        let fileID: String
        let line: UInt

        init(_ source: ErrorReport.Source) { (fileID, line) = (source.fileID, source.line) }

        var source: ErrorReport.Source { ErrorReport.Source(fileID: fileID, line: line) }
    }

    let failure: ActionFailure

    init(failure: ActionFailure) { self.failure = failure }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let handled = try fields.decode(CodedError.self, forKey: .handled)
        guard let error = try fields.decode(CodedError.self, forKey: .thrown).error() else {
            throw DecodingError.dataCorruptedError(forKey: .thrown, in: fields, debugDescription: "an unknown type")
        }
        let report = ErrorReport(
            error: handled.error() ?? NotRebuilt(description: handled.type),
            role: .init(try fields.decode(String.self, forKey: .role)),
            source: try fields.decode(Location.self, forKey: .source).source,
            scope: try fields.decode([String].self, forKey: .scope))
        let rule = RuleDescription(
            matcher: try fields.decode(String.self, forKey: .matcher),
            source: try fields.decode(Location.self, forKey: .ruleSource).source)
        failure = ActionFailure(error: error, report: report, rule: rule)
    }

    func encode(to encoder: any Encoder) throws {
        let thrown = CodedError(failure.error)
        guard thrown.isRebuildable else {
            throw EncodingError.invalidValue(failure, .init(codingPath: [], debugDescription: thrown.type))
        }
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(thrown, forKey: .thrown)
        try fields.encode(CodedError(failure.report.error), forKey: .handled)
        try fields.encode(failure.report.role.name, forKey: .role)
        try fields.encode(Location(failure.report.source), forKey: .source)
        try fields.encode(failure.report.scope, forKey: .scope)
        try fields.encode(failure.rule.matcher, forKey: .matcher)
        try fields.encode(Location(failure.rule.source), forKey: .ruleSource)
    }
}

/// The recorded kind of a decoding failure, without its position in the input and without any of the input.
private struct DecodingForm: Codable {
    private enum CodingKeys: CodingKey { case kind, underlying }
    private enum Kind: String, Codable { case typeMismatch, valueNotFound, keyNotFound, dataCorrupted }

    private struct Key: CodingKey {
        var stringValue: String { "" }
        var intValue: Int? { nil }
        init() {}
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    let error: DecodingError

    init(error: DecodingError) { self.error = error }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let underlying = try fields.decodeIfPresent(CodedError.self, forKey: .underlying)
        let context = DecodingError.Context(
            codingPath: [], debugDescription: "replayed", underlyingError: underlying?.error())
        error =
            switch try fields.decode(Kind.self, forKey: .kind) {
            case .typeMismatch: .typeMismatch(Any.self, context)
            case .valueNotFound: .valueNotFound(Any.self, context)
            case .keyNotFound: .keyNotFound(Key(), context)
            case .dataCorrupted: .dataCorrupted(context)
            }
    }

    func encode(to encoder: any Encoder) throws {
        let (kind, context): (Kind, DecodingError.Context)
        switch error {
        case .typeMismatch(_, let found): (kind, context) = (.typeMismatch, found)
        case .valueNotFound(_, let found): (kind, context) = (.valueNotFound, found)
        case .keyNotFound(_, let found): (kind, context) = (.keyNotFound, found)
        case .dataCorrupted(let found): (kind, context) = (.dataCorrupted, found)
        @unknown default: throw error
        }
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(kind, forKey: .kind)
        try fields.encodeIfPresent(context.underlyingError.map { CodedError($0) }, forKey: .underlying)
    }
}
