extension ErrorHandler {
    /// Runs an operation, and handles the error if it throws one.
    ///
    /// A cancellation is handled like any other error; ``default`` ignores it. Failures of actions go to the process's
    /// ``LastResort``, since no caller gets the outcome.
    ///
    /// - Parameters:
    ///   - fileID: Where the error comes from.
    ///   - line: Where the error comes from.
    ///   - operation: The operation to run. It keeps the caller's isolation.
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
            await handle(error, fileID: fileID, line: line).writeFailures()
            return nil
        }
    }

    /// Runs an operation that returns an optional, and wraps it in no second one; see ``catching(fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> T?
    ) async -> T? {
        do {
            return try await operation()
        } catch {
            await handle(error, fileID: fileID, line: line).writeFailures()
            return nil
        }
    }

    /// Runs a synchronous operation, and handles the error if it throws one; see ``catching(fileID:line:_:)``.
    ///
    /// If a rule for the error is asynchronous, the error is handled in a task of its own, as by
    /// ``handleSoon(_:fileID:line:)``.
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

    /// Runs a synchronous operation that returns an optional, and wraps it in no second one.
    ///
    /// See ``catching(fileID:line:_:)``.
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

    /// Runs an operation that returns nothing, and handles the error if it throws one.
    ///
    /// See ``catching(fileID:line:_:)``.
    ///
    /// - Returns: Whether the operation succeeded.
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
            await handle(error, fileID: fileID, line: line).writeFailures()
            return false
        }
    }

    /// Runs a synchronous operation that returns nothing, and handles the error if it throws one.
    ///
    /// See ``catching(fileID:line:_:)``.
    ///
    /// - Returns: Whether the operation succeeded.
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
