extension ErrorHandler {
    /// Runs an operation, and handles here what it throws.
    ///
    /// `CancellationError` is handled like any other error; ``default`` ignores it. Failures of actions go
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

    /// Runs an operation that answers an optional, which stays one; see ``catching(fileID:line:_:)``.
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
    /// Where the handler needs to suspend for the error (see ``handleSynchronously(_:fileID:line:)``), it is handled in
    /// a task of its own, soon after this has returned.
    @discardableResult
    public func catching<T>(
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> T
    ) -> T? {
        do {
            return try operation()
        } catch {
            handleNowOrSoon(error, fileID, line)
            return nil
        }
    }

    /// Runs a synchronous operation that answers an optional, which stays one; see ``catching(fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> T?
    ) -> T? {
        do {
            return try operation()
        } catch {
            handleNowOrSoon(error, fileID, line)
            return nil
        }
    }

    private func handleNowOrSoon(_ error: any Error, _ fileID: String, _ line: UInt) {
        if let outcome = handleSynchronously(error, fileID: fileID, line: line) {
            outcome.tellFailures()
        } else {
            Task { await handle(error, fileID: fileID, line: line).tellFailures() }
        }
    }
}

extension HandleOutcome {
    fileprivate func tellFailures() {
        for failure in failures { LastResort.ofProcess.write(failure) }
    }
}
