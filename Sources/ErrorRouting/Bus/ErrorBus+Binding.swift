extension ErrorBus {
    /// Binds the bus for a body and everything it starts, so that errors posted there by `postError` or `.ambient` go to
    /// this bus, and not to the process's root.
    ///
    /// For a part of a program that does not run within
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)``, such as a service beside the one that runs the bus.
    /// It neither runs nor finishes the bus.
    ///
    /// ```swift
    /// try await bus.bound { try await server.run() }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, on which the body runs; the body begins without a suspension.
    ///   - body: What to run. It keeps the caller's isolation.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw.
    public func bound<T, F: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(F) -> T
    ) async throws(F) -> T {
        try await ErrorBus.$bound.binding(self, isolation: isolation, body)
    }
}
