extension ErrorHandler {
    /// Runs an operation, and handles here what it throws.
    ///
    /// A cancellation is handled like any other error; ``default`` ignores it. Failures of actions go
    /// to the process's ``LastResort``, since nobody sees the outcome.
    ///
    /// - Parameters:
    ///   - fileID: Where the error comes from.
    ///   - line: Where the error comes from.
    ///   - operation: What may throw. It keeps the caller's isolation.
    /// - Returns: What the operation returned, or nil if it threw.
    @discardableResult
    public func catching<T>(
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> T
    ) async -> T? {
        do {
            return try await operation()
        } catch {
            await handle(error, fileID: fileID, line: line).tellFailures()
            return nil
        }
    }

    /// Runs an operation that returns an optional, which stays one; see ``catching(fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> T?
    ) async -> T? {
        do {
            return try await operation()
        } catch {
            await handle(error, fileID: fileID, line: line).tellFailures()
            return nil
        }
    }

    /// Runs a synchronous operation, and handles here what it throws; see ``catching(fileID:line:_:)``.
    ///
    /// Where the handler needs to suspend for the error it is handled soon after, as ``handleSoon(_:fileID:line:)``
    /// does.
    @discardableResult
    public func catching<T>(
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> T
    ) -> T? {
        do {
            return try operation()
        } catch {
            handleSoon(error, fileID: fileID, line: line)
            return nil
        }
    }

    /// Runs a synchronous operation that returns an optional, which stays one; see ``catching(fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> T?
    ) -> T? {
        do {
            return try operation()
        } catch {
            handleSoon(error, fileID: fileID, line: line)
            return nil
        }
    }

    /// Runs an operation that returns nothing, and handles here what it throws; see ``catching(fileID:line:_:)``.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    public func catching(
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> Void
    ) async -> Bool {
        do {
            try await operation()
            return true
        } catch {
            await handle(error, fileID: fileID, line: line).tellFailures()
            return false
        }
    }

    /// Runs a synchronous operation that returns nothing, and handles here what it throws.
    ///
    /// See ``catching(fileID:line:_:)``.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    public func catching(
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> Void
    ) -> Bool {
        do {
            try operation()
            return true
        } catch {
            handleSoon(error, fileID: fileID, line: line)
            return false
        }
    }
}
