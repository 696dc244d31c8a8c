import Foundation

// The check that statistics add up is internal.
@testable import ErrorRouting

/// The record of one run of the stress test: each error's outcome, and the observers' reports.
struct StressEvidence: Sendable {
    /// One report, wherever it was observed.
    struct Seen: Sendable {
        enum Content: Sendable {
            case error(type: String, StressMark.Key)
            case drops(ErrorsDropped)
            /// The number of the thrown error, if the test threw it.
            case failure(Int?)
            case unknown(String)
        }

        let content: Content
        var sequence: UInt64 = 0
        var occurrences = 1
        var line: UInt = 0
        var scope: [String] = []
        var end: HandleOutcome.Disposition?
    }

    /// A line on standard error: a report, and the reason for the line.
    struct Written: Sendable {
        enum Reason: String, CaseIterable {
            case finished = "the bus has finished"
            case shutDown = "the bus was shut down before it was delivered"
            case discarded = "the bus was discarded before it was delivered"
            case failed = "an action failed, and its failure isn't handled"
        }

        let seen: Seen
        let reason: Reason?
    }

    /// The number of posted errors of each type.
    var posted: [String: Int] = [:]
    var delivered: [Seen] = []
    var returned: [Seen] = []
    var written: [Written] = []
    /// Whether each thrown error must be reported, by the error's number.
    var thrown: [Bool] = []
    var answers: [StressMark.Key: HandleOutcome.Disposition] = [:]
    var readings: [StressReading] = []
    var statistics = ErrorBus.Statistics()

    func written(_ reasons: Written.Reason...) -> [Seen] {
        written.filter { written in reasons.contains { $0 == written.reason } }.map(\.seen)
    }
}

extension StressEvidence.Seen {
    init(_ report: ErrorReport) {
        content =
            switch report.error {
            case let error as any StressError where error.mark.scope != report.scope:
                .unknown("\(error.mark.key) was posted in \(error.mark.scope), and not in \(report.scope)")
            case let error as any StressError: .error(type: Swift.type(of: error).name, error.mark.key)
            case let drops as ErrorsDropped: .drops(drops)
            case let failure as ActionFailure: .failure((failure.error as? StressThrown)?.number)
            default: .unknown("\(report)")
            }
        sequence = report.sequence
        occurrences = report.occurrences
        line = report.source.line
        scope = report.scope
        end = report.outcome.disposition
    }

    var key: StressMark.Key? {
        switch content {
        case .error(_, let key): return key
        default: return nil
        }
    }

    var type: String? {
        if case .error(let type, _) = content { type } else { nil }
    }

    var drops: ErrorsDropped? {
        if case .drops(let drops) = content { drops } else { nil }
    }
}

// MARK: - Standard error

extension StressEvidence.Written {
    /// Reads a line that the bus has written.
    init(_ line: Substring) {
        reason = Reason.allCases.first { line.hasSuffix("reason=\"\($0.rawValue)\"") }
        let type = String(line.dropFirst("failure type=".count).prefix { $0 != " " })
        let message = line.range(of: "message=\"").map { line[$0.upperBound...] } ?? ""
        seen = .init(content: Self.content(type, message), occurrences: line.number(after: "occurrences=") ?? 1)
    }

    private static func content(_ type: String, _ message: Substring) -> StressEvidence.Seen.Content {
        switch type {
        case "ErrorRouting.ErrorsDropped":
            guard let count = message.number(after: ""), let list = message.firstIndex(of: "(") else { break }
            var byType: [String: Int] = [:]
            for entry in message[list...].dropFirst().prefix(while: { $0 != ")" }).split(separator: ",") {
                let words = entry.split(separator: " ")
                byType[String(words[2])] = Int(words[0])
            }
            return .drops(ErrorsDropped(count: count, byType: byType))
        case "ErrorRouting.ActionFailure":
            return .failure(message.number(after: "failed with thrown "))
        default:
            guard let poster = message.number(after: "stress "), let number = message.number(after: "/") else { break }
            return .error(type: type, .init(poster: poster, number: number))
        }
        return .unknown("\(type) \(message)")
    }
}

extension Substring {
    /// Returns the first number after a string.
    fileprivate func number(after text: String) -> Int? {
        let start = text.isEmpty ? startIndex : range(of: text)?.upperBound
        return start.flatMap { Int(self[$0...].prefix(while: \.isNumber)) }
    }
}
