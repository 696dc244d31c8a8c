extension TaskLocal {
    /// Binds a value for an operation, which keeps the caller's actor, and the type of what it throws.
    ///
    /// The standard library's `withValue` keeps neither for a closure of this module: it takes a plain asynchronous
    /// function, so that an actor would be left before the operation and entered again for it, which lets other work of
    /// the actor in between and costs a hop each way. The closure has to take the actor along.
    @inlinable
    func binding<T, F: Error>(
        _ value: Value,
        isolation: isolated (any Actor)?,
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

    /// Binds a value for a synchronous operation, which keeps the type of what it throws.
    func binding<T, F: Error>(_ value: Value, _ operation: () throws(F) -> T) throws(F) -> T {
        let result = withValue(value) {
            do throws(F) {
                return Result<T, F>.success(try operation())
            } catch {
                return Result<T, F>.failure(error)
            }
        }
        return try result.get()
    }
}
