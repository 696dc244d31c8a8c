import ErrorRouting
import Foundation

/// The part of a record that a replay needs: the fields that determine the verdict, and the fields that an example
/// shows.
///
/// It can be decoded from any JSON object with these fields, so a line in a later version of the format can be read.
struct ReplayedRecord: Decodable, Sendable {
    var version: Int
    var disposition: String
    var role: String?
    var type: String
    var caseName: String?
    var domain: String?
    var code: Int?
    var cancellation: Bool?
    var scope: [String]?
    var rule: String?
    var ruleSource: String?
    var matchedRuleCount: Int
    var trail: [TrailStep]?
    var value: String?

    var occurrences: Int?
    var time: String?
    var host: String?
    var service: String?
    var release: String?
    var sequence: Int?
    var message: String?
    var shortened: [String]?

    struct TrailStep: Decodable, Sendable {
        var type: String?
        var fingerprint: String
    }
}

extension ReplayedRecord {
    /// The names with which rules can be evaluated if the error itself isn't available.
    ///
    /// The names of an underlying error come from its fingerprint: `Intake.PaymentError.declined`, or
    /// `Foundation.URLError(NSURLErrorDomain -1009)`.
    var names: ErrorNames {
        let isWhole = shortened?.contains("trail") != true
        return ErrorNames(
            typeName: type, domain: domain, code: code, isCancellation: cancellation ?? false,
            underlying: isWhole ? (trail ?? []).map(\.names) : nil)
    }

    /// Decodes a line with Foundation's decoder; nil if it isn't a record.
    init?(decoding line: Span<UInt8>) {
        let data = unsafe line.withUnsafeBufferPointer { bytes in unsafe Data(buffer: bytes) }
        // error-audit: harmless, because a line that isn't a record is counted
        guard let record = try? Self.decoder.decode(Self.self, from: data), record.version >= 1 else { return nil }
        self = record
    }

    private static let decoder = JSONDecoder()
}

extension ReplayedRecord.TrailStep {
    fileprivate var names: ErrorNames {
        let type = type ?? fingerprint
        let rest = fingerprint.dropFirst(type.count)
        guard fingerprint.hasPrefix("\(type)("), rest.hasSuffix(")"), let blank = rest.lastIndex(of: " "),
            let code = Int(rest[rest.index(after: blank)...].dropLast())
        else { return ErrorNames(typeName: type, underlying: nil) }
        return ErrorNames(typeName: type, domain: String(rest[..<blank].dropFirst()), code: code, underlying: nil)
    }
}

/// Limits the number of errors that a report represents, because a file can contain any number.
enum Occurrences {
    /// The largest number of errors to count for a line.
    ///
    /// If `Int` has 64 bits, no file contains enough lines for the sum to overflow.
    private static let limit = 1 << (Int.bitWidth / 2)

    static func bounded(_ count: Int?) -> Int { min(max(count ?? 1, 1), limit) }
}
