import ErrorRouting
import Logging

// The handler calls it last, whatever its rules did: `ErrorHandler().on(…).overlaid(with: .logging(log))`.
func log(_ error: any Error, _ report: ErrorReport) {
    let fields = report.fields.mapValues(Logger.MetadataValue.string)
    logger.log(level: level(of: report), "\(report.message)", metadata: fields, source: report.source.module)
}
