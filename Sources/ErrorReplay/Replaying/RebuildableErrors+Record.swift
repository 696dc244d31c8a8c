import CodedErrors
import ErrorRecording
import ErrorRouting
import Foundation

extension RebuildableErrors {
    /// Returns the error of a record; nil if it can't be rebuilt.
    ///
    /// The result is also nil if the rebuilt error differs from the recorded error in its case, domain, code, or
    /// underlying errors, because rules might then match an error that they wouldn't have matched.
    ///
    /// `value` is the error's value as JSON, which is used instead of the record's value. `errorCase` is the type and
    /// case of another rebuilt error of the record, if comparing only type and case is sufficient.
    func error(of record: ReplayedRecord, value: Data?, like errorCase: ErrorCase? = nil) -> (any Error)? {
        guard let error = rebuilt(record, value) else { return nil }
        if let errorCase { return errorCase.includes(error) ? error : nil }
        let report = ErrorReport(error: error, source: ErrorReport.Source())
        let isOfType = report.typeName == record.type || FoundationErrors.contains(typeName: record.type)
        // Accept an error without a domain, because its type might have had a domain when the error was recorded.
        let isOfDomain = report.domainAndCode.map { $0.domain == record.domain && $0.code == record.code } ?? true
        let isSame =
            isOfType && report.caseName == record.caseName && isOfDomain
            && report.trail.map(\.fingerprint) == (record.trail ?? []).map(\.fingerprint)
        return isSame ? error : nil
    }

    private func rebuilt(_ record: ReplayedRecord, _ value: Data?) -> (any Error)? {
        if let value { return error(named: record.type, value) }
        return FoundationErrors.error(typeName: record.type, domain: record.domain, code: record.code)
    }
}
