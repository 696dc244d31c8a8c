import BoundedDescriptions
import ErrorRouting

/// The identification that all records of a recorder share.
struct RecordOrigin: Sendable {
    let host: String
    let service: String
    var release: String?
    let process: Int
    let start: String
}

extension ErrorRecord {
    /// Creates the record of a report.
    ///
    /// It reads the error's strings and, if its type was added, its value. `time` returns the time of an instant in
    /// microseconds since 1970, and `rebuilding` contains the types whose values are recorded.
    init(
        _ report: ErrorReport, from origin: RecordOrigin, time: (ContinuousClock.Instant) -> Int64, sequence: Int,
        rebuilding: RebuildableErrors
    ) {
        let outcome = report.outcome
        let texts = report.texts
        self.init(
            time: Timestamp.text(ofMicroseconds: time(report.instant)),
            host: origin.host,
            service: origin.service,
            release: origin.release,
            process: origin.process,
            start: origin.start,
            sequence: sequence,
            role: OneLine.escaped(report.role.name),
            type: texts.typeName,
            caseName: texts.caseName,
            kind: texts.givenKind,
            domain: texts.domainAndCode?.domain,
            code: texts.domainAndCode?.code,
            cancellation: Self.isCancellation(report.error) ? true : nil,
            message: texts.message,
            source: OneLine.escaped(report.source.description),
            origin: texts.origin.map { OneLine.escaped($0.description) },
            scope: report.scope.map(OneLine.escaped),
            metadata: Self.escaped(report.metadata),
            occurrences: report.occurrences,
            firstTime: report.occurrences > 1 ? Timestamp.text(ofMicroseconds: time(report.firstInstant)) : nil,
            disposition: outcome.disposition.rawValue,
            rule: outcome.rule?.matcher,
            ruleSource: outcome.rule.map { OneLine.escaped($0.source.description) },
            matchedRuleCount: outcome.matchedRuleCount,
            fingerprint: texts.fingerprint,
            trail: texts.trail.map(TrailStep.init),
            value: rebuilding.value(of: report.error, named: texts.typeName)
        )
    }

    /// Built once, because building it costs a third of the time of recording a line.
    private static let cancellation = ErrorMatcher.cancellation

    private static let plainTypes = NonconformingTypes()

    private static func isCancellation(_ error: any Error) -> Bool {
        let type = Swift.type(of: error)
        let canBe = plainTypes.conforms(type) {
            type == CancellationError.self || type is any CancellationConvertible.Type
        }
        return canBe && cancellation.match(error) != nil
    }

    private static func escaped(_ metadata: [String: String]) -> [String: String] {
        Dictionary(metadata.map { (OneLine.escaped($0), OneLine.escaped($1)) }) { first, _ in first }
    }
}

extension ErrorRecord.TrailStep {
    init(_ step: ErrorReport.TrailStep) {
        self.init(type: step.typeName, message: step.message, fingerprint: step.fingerprint)
    }
}
