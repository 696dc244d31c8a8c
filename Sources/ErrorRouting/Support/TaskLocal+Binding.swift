extension TaskLocal {
    /// Binds a value for an operation that runs on the caller's actor and throws errors of a known type.
    ///
    /// With a closure of this module, the standard library's `withValue` keeps neither the actor nor the error type.
    /// Its parameter is a plain asynchronous function, so the task would leave the actor and then enter it again for
    /// the operation. That costs two hops and lets other work run on the actor in between. Therefore the closure
    /// captures the actor.
    @inlinable
    package func binding<T, F: Error>(
        _ value: Value, isolation: isolated (any Actor)?,
        _ operation: () async throws(F) -> T
    ) async throws(F) -> T {
        let result = await withValue(value) {
            _ = isolation
            do throws(F) {
                return Result<T, F>.success(try await operation())
            } catch {
                return Result<T, F>.failure(error)
            }
        }
        return try result.get()
    }

    /// Binds a value for a synchronous operation that throws errors of a known type.
    func binding<T, F: Error>(_ value: Value, _ operation: () throws(F) -> T) throws(F) -> T {
        try withValue(value) { Result(catching: operation) }.get()
    }
}
