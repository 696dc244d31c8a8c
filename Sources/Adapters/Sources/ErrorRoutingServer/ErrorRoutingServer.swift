// One import for a service: the bus, and the adapters that almost every service uses.
//
// `@_exported` is the only way to reexport another module in Swift. The adapted packages themselves aren't exported: a
// file that creates a `Logger` must import `Logging`.

@_exported public import ErrorRouting
@_exported public import ErrorRoutingLifecycle
@_exported public import ErrorRoutingLogging
@_exported public import ErrorRoutingMetrics
@_exported public import ErrorRoutingTracing
