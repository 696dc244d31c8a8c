import ErrorRouting
import ErrorRoutingLogging
import Logging

private func log(_ logger: Logger) -> ErrorHandler {
    let levels = ErrorMap<Logger.Level?>()
        .on(OrderMissing.self, .info)
    let rules = ErrorHandler()
        .on(OrderMissing.self) { _ in .stop }
        .overlaid(with: .logging(to: logger, levels: levels))
    return rules
}
