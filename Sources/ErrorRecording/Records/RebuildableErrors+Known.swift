import BoundedDescriptions
import ErrorRouting
import Foundation

/// The types that need not be added.
extension RebuildableErrors {
    static let known: [String: Coding] = [
        TypeName.full(CancellationError.self): coding { (_: CancellationError, _) in
            Nothing()
        } decoding: { _, _ in
            CancellationError()
        },
        TypeName.full(ErrorsDropped.self): coding { (error: ErrorsDropped, _) in
            Drops(count: error.count, byType: error.byType)
        } decoding: { drops, _ in
            ErrorsDropped(count: drops.count, byType: drops.byType)
        },
        TypeName.full(ActionTimeLimitExceeded.self): coding { (error: ActionTimeLimitExceeded, _) in
            error.limit
        } decoding: { limit, _ in
            ActionTimeLimitExceeded(limit: limit)
        },
        TypeName.full(ActionFailure.self): coding { (error: ActionFailure, set) in
            Failure(error, set)
        } decoding: { failure, set in
            failure.error(set)
        },
    ]

    private struct Nothing: Codable {}

    private struct Drops: Codable {
        let count: Int
        let byType: [String: Int]
    }

    /// What is recorded of a failed action: not the metadata of the handled report, which its own record has.
    private struct Failure: Codable {
        let thrown: Inner
        let handled: Inner
        let role: String
        let source: Place
        let scope: [String]
        let matcher: String
        let ruleSource: Place

        /// Nil if the thrown error cannot be rebuilt, because rules look for it.
        init?(_ failure: ActionFailure, _ set: RebuildableErrors) {
            thrown = Inner(failure.error, set)
            if !thrown.hasValue { return nil }
            handled = Inner(failure.report.error, set)
            role = failure.report.role.name
            source = Place(failure.report.source)
            scope = failure.report.scope
            (matcher, ruleSource) = (failure.rule.matcher, Place(failure.rule.source))
        }

        func error(_ set: RebuildableErrors) -> ActionFailure? {
            guard let error = thrown.error(set) else { return nil }
            let report = ErrorReport(
                error: handled.error(set) ?? NotRebuilt(description: handled.type), role: .init(role),
                source: source.source, scope: scope)
            return ActionFailure(
                error: error, report: report, rule: RuleDescription(matcher: matcher, source: ruleSource.source))
        }
    }

    /// An error within another one.
    private struct Inner: Codable {
        let type: String
        var domain: String?
        var code: Int?
        var value: String?

        init(_ error: any Error, _ set: RebuildableErrors) {
            var kind = ErrorReport(error: error, source: ErrorReport.Source()).kind
            type = kind.typeName
            (domain, code) = (kind.domainAndCode?.domain, kind.domainAndCode?.code)
            // Each level would escape the text of the levels below it, which doubles its length.
            if !(error is ActionFailure) { value = set.value(of: error, named: type) }
        }

        /// Whether the error can be rebuilt.
        var hasValue: Bool { value != nil || RebuildableErrors.isFoundations(type) && domain != nil }

        func error(_ set: RebuildableErrors) -> (any Error)? {
            set.rebuilt(type, domain, code, value.map { Data($0.utf8) })
        }
    }

    private struct Place: Codable {
        let fileID: String
        let line: UInt

        init(_ source: ErrorReport.Source) { (fileID, line) = (source.fileID, source.line) }

        var source: ErrorReport.Source { ErrorReport.Source(fileID: fileID, line: line) }
    }

    /// Stands for the error that a failed action was handling, if that cannot be rebuilt.
    private struct NotRebuilt: Error, CustomStringConvertible { let description: String }
}
