extension ErrorPosting {
    /// Runs an operation; if it throws, posts the error and returns nil.
    ///
    /// In a cancelled task, errors that ``ErrorMatcher/cancellation`` matches and `URLError.cancelled` aren't posted,
    /// because it isn't a failure if a cancelled task stops. In a task that isn't cancelled, an error that
    /// ``ErrorMatcher/cancellation`` matches is posted as a notice, because other work was cancelled and its result is
    /// missing.
    ///
    /// ```swift
    /// let order = await errors.catching { try await intake.next() }
    /// ```
    ///
    /// - Parameters:
    ///   - metadata: Metadata for the report; evaluated only if the operation throws.
    ///   - fileID: The file of the report's source location.
    ///   - line: The line of the report's source location.
    ///   - operation: The operation to run. It keeps the caller's isolation.
    /// - Returns: The operation's result, or nil if it threw.
    @discardableResult
    public func catching<T>(
        metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
        _ operation: () async throws -> T
    ) async -> T? { try? await rethrowing(metadata: metadata(), fileID: fileID, line: line, operation) }

    /// Runs an operation and returns its optional result unchanged, not nested in another optional; see
    /// ``catching(metadata:fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
        _ operation: () async throws -> T?
    ) async -> T? { try? await rethrowing(metadata: metadata(), fileID: fileID, line: line, operation) }

    /// Runs a synchronous operation and posts the error that it throws; see ``catching(metadata:fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
        _ operation: () throws -> T
    ) -> T? { try? rethrowing(metadata: metadata(), fileID: fileID, line: line, operation) }

    /// Runs a synchronous operation and returns its optional result unchanged, not nested in another optional.
    ///
    /// See ``catching(metadata:fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
        _ operation: () throws -> T?
    ) -> T? { try? rethrowing(metadata: metadata(), fileID: fileID, line: line, operation) }

    /// Runs an operation that doesn't return a value and posts the error that it throws.
    ///
    /// See ``catching(metadata:fileID:line:_:)``.
    ///
    /// - Returns: Whether the operation succeeded.
    @discardableResult
    public func catching(
        metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
        _ operation: () async throws -> Void
    ) async -> Bool { (try? await rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)) != nil }

    /// Runs a synchronous operation that doesn't return a value and posts the error that it throws.
    ///
    /// See ``catching(metadata:fileID:line:_:)``.
    ///
    /// - Returns: Whether the operation succeeded.
    @discardableResult
    public func catching(
        metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
        _ operation: () throws -> Void
    ) -> Bool { (try? rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)) != nil }

    /// Runs an operation; if it throws, posts the error and rethrows it.
    ///
    /// A cancellation is posted as in `catching`, and it is rethrown like any other error.
    ///
    /// The code that swallows an error should post it. So use this method only if the caller swallows errors without
    /// posting them; otherwise, errors are reported twice.
    ///
    /// - Parameters:
    ///   - metadata: Metadata for the report; evaluated only if the operation throws.
    ///   - fileID: The file of the report's source location.
    ///   - line: The line of the report's source location.
    ///   - operation: The operation to run. It keeps the caller's isolation.
    /// - Returns: The operation's result.
    /// - Throws: The error that the operation throws.
    public func rethrowing<T, F: Error>(
        metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
        _ operation: () async throws(F) -> T
    ) async throws(F) -> T {
        do {
            return try await operation()
        } catch {
            postUnlessCancelled(error, metadata(), .init(fileID: fileID, line: line))
            throw error
        }
    }

    /// Runs a synchronous operation; if it throws, posts the error and rethrows it.
    ///
    /// See ``rethrowing(metadata:fileID:line:_:)``.
    public func rethrowing<T, F: Error>(
        metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
        _ operation: () throws(F) -> T
    ) throws(F) -> T {
        do {
            return try operation()
        } catch {
            postUnlessCancelled(error, metadata(), .init(fileID: fileID, line: line))
            throw error
        }
    }

    /// Posts an error caught in the current task, unless it only reports that the task was cancelled.
    func postUnlessCancelled(
        _ error: any Error, _ metadata: @autoclosure () -> [String: String], _ source: ErrorReport.Source
    ) {
        guard let role = Cancellation.role(of: error) else { return }
        post(error, as: role, metadata: metadata(), source: source)
    }
}
