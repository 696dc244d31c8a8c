import ErrorRouting
import Logging

// The handler calls it last, whatever its rules did: `ErrorHandler().on(…).overlaid(with: .logging(log))`.
func log(_ error: any Error, _ report: ErrorReport) {
    // The bus's task writes this later: with the request's trace, and with the line that posted the error.
    withTrace(of: report) {
        logger.log(
            level: level(of: report), "\(report.message)", metadata: report.fields.mapValues { .string($0) },
            file: report.source.fileID, function: "", line: report.source.line)
    }
}
