import ErrorRouting
import Hummingbird
import Logging

private func first(_ application: some ApplicationProtocol, _ logger: Logger) async throws {
    let rules = ErrorHandler().overlaid(
        with: .logging { _, report in
            logger.log(
                level: .init(rawValue: report.severity.rawValue) ?? .error, "\(report.message)",
                metadata: report.fields.mapValues { "\($0)" })
        })
    try await withErrorBus(handler: rules, asRoot: true) { _ in
        try await application.runService()
    }
}
