import ErrorRouting
import ErrorRoutingLogging
import Logging

private func log(_ logger: Logger) -> ErrorHandler {
    let levels = ErrorMap<Logger.Level?>()
        .on(OrderMissing.self, .info)
    let rules = ErrorHandler()
        .expecting(OrderMissing.self)
        .overlaid(with: .logging(to: logger, levels: levels))
    return rules
}
