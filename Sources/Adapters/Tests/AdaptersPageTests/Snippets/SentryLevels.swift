import ErrorRouting
import ErrorRoutingSentry

private func sink(_ dsn: String) throws -> SentrySink {
    let levels = ErrorMap<SentryLevel?>()
        .on(TooManyOrders.self, .warning)
        .on(OrderMissing.self, nil)
    let configuration = SentrySink.Configuration(
        levels: levels,
        redact: { event in
            var event = event
            for index in event.exceptions.indices { event.exceptions[index].value = "" }
            event.extra = event.extra.filter { $0.key.hasPrefix("error.") || $0.key == "http.route" }
            return event
        })
    let sentry = try SentrySink(dsn: dsn, configuration: configuration)
    return sentry
}
