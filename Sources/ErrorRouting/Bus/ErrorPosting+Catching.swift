extension ErrorPosting {
    /// Runs an operation; if it throws, posts the error and returns nil.
    ///
    /// In a cancelled task, errors that ``ErrorMatcher/cancellation`` matches and `URLError.cancelled` are not posted: the
    /// end of a cancelled task isn't a failure. In a task that nobody has cancelled, an error that
    /// ``ErrorMatcher/cancellation`` matches is posted as a notice, because something else was cancelled and its result
    /// is missing.
    ///
    /// ```swift
    /// let order = await errors.catching { try await intake.next() }
    /// ```
    ///
    /// - Parameters:
    ///   - metadata: Metadata for the report of an error; computed only if there is one.
    ///   - fileID: The file that the report of an error gives as its source.
    ///   - line: The line that the report of an error gives as its source.
    ///   - operation: The operation that may throw. It keeps the caller's isolation.
    /// - Returns: What the operation returned, or nil if it threw.
    @discardableResult
    public func catching<T>(
        metadata: @autoclosure () -> [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> T
    ) async -> T? {
        try? await rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)
    }

    /// Runs an operation that returns an optional, and returns it as it is, not nested in another optional; see
    /// ``catching(metadata:fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        metadata: @autoclosure () -> [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> T?
    ) async -> T? {
        try? await rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)
    }

    /// Runs a synchronous operation, and posts what it throws; see ``catching(metadata:fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        metadata: @autoclosure () -> [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> T
    ) -> T? {
        try? rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)
    }

    /// Runs a synchronous operation that returns an optional, and returns it as it is, not nested in another optional.
    ///
    /// See ``catching(metadata:fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        metadata: @autoclosure () -> [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> T?
    ) -> T? {
        try? rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)
    }

    /// Runs an operation that returns nothing, and posts what it throws; see ``catching(metadata:fileID:line:_:)``.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    public func catching(
        metadata: @autoclosure () -> [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> Void
    ) async -> Bool {
        (try? await rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)) != nil
    }

    /// Runs a synchronous operation that returns nothing, and posts what it throws.
    ///
    /// See ``catching(metadata:fileID:line:_:)``.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    public func catching(
        metadata: @autoclosure () -> [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> Void
    ) -> Bool {
        (try? rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)) != nil
    }

    /// Runs an operation; if it throws, posts the error and throws it again.
    ///
    /// A cancellation is posted as in `catching`; it is thrown again like any other error.
    ///
    /// Code that swallows an error posts it, so use this only where the caller is known to swallow errors without
    /// posting them. Otherwise errors are reported twice.
    ///
    /// - Parameters:
    ///   - metadata: Metadata for the report of an error; computed only if there is one.
    ///   - fileID: The file that the report of an error gives as its source.
    ///   - line: The line that the report of an error gives as its source.
    ///   - operation: The operation that may throw. It keeps the caller's isolation.
    /// - Returns: What the operation returned.
    /// - Throws: What the operation threw.
    public func rethrowing<T, F: Error>(
        metadata: @autoclosure () -> [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws(F) -> T
    ) async throws(F) -> T {
        do {
            return try await operation()
        } catch {
            postUnlessCancelled(error, metadata(), .init(fileID: fileID, line: line))
            throw error
        }
    }

    /// Runs a synchronous operation; if it throws, posts the error and throws it again.
    ///
    /// See ``rethrowing(metadata:fileID:line:_:)``.
    public func rethrowing<T, F: Error>(
        metadata: @autoclosure () -> [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws(F) -> T
    ) throws(F) -> T {
        do {
            return try operation()
        } catch {
            postUnlessCancelled(error, metadata(), .init(fileID: fileID, line: line))
            throw error
        }
    }

    /// Posts an error that was caught in the current task, unless it only says that the task was cancelled.
    func postUnlessCancelled(
        _ error: any Error, _ metadata: @autoclosure () -> [String: String], _ source: ErrorReport.Source
    ) {
        guard let role = Cancellation.role(of: error) else { return }
        post(error, as: role, metadata: metadata(), source: source)
    }
}
