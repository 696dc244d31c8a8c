// One import for a service: the bus, and the adapters that almost every service uses.
//
// Swift has no other way to export a module from another one. The adapted packages themselves aren't exported: a file
// that creates a `Logger` imports `Logging`.

@_exported public import ErrorRouting
@_exported public import ErrorRoutingLifecycle
@_exported public import ErrorRoutingLogging
@_exported public import ErrorRoutingMetrics
@_exported public import ErrorRoutingTracing
