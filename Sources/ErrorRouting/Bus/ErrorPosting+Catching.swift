extension ErrorPosting {
    /// Runs an operation, posts what it throws, and returns nil then.
    ///
    /// What ``ErrorMatcher/cancellation`` matches is not posted, and in a cancelled task neither is
    /// `URLError.cancelled`: the end of a task is no error that anyone has to hear of.
    ///
    /// ```swift
    /// let order = await errors.catching { try await intake.next() }
    /// ```
    ///
    /// - Parameters:
    ///   - metadata: What to give along with an error.
    ///   - fileID: Where an error is said to be posted.
    ///   - line: Where an error is said to be posted.
    ///   - operation: What may throw. It keeps the caller's isolation.
    /// - Returns: What the operation returned, or nil if it threw.
    @discardableResult
    public func catching<T>(
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> T
    ) async -> T? {
        do {
            return try await operation()
        } catch {
            postUnlessCancellation(error, metadata, .init(fileID: fileID, line: line))
            return nil
        }
    }

    /// Runs an operation that returns an optional, which stays one; see ``catching(metadata:fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> T?
    ) async -> T? {
        do {
            return try await operation()
        } catch {
            postUnlessCancellation(error, metadata, .init(fileID: fileID, line: line))
            return nil
        }
    }

    /// Runs a synchronous operation, and posts what it throws; see ``catching(metadata:fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> T
    ) -> T? {
        do {
            return try operation()
        } catch {
            postUnlessCancellation(error, metadata, .init(fileID: fileID, line: line))
            return nil
        }
    }

    /// Runs a synchronous operation that returns an optional, which stays one.
    ///
    /// See ``catching(metadata:fileID:line:_:)``.
    @discardableResult
    public func catching<T>(
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> T?
    ) -> T? {
        do {
            return try operation()
        } catch {
            postUnlessCancellation(error, metadata, .init(fileID: fileID, line: line))
            return nil
        }
    }

    /// Runs an operation that returns nothing, and posts what it throws; see ``catching(metadata:fileID:line:_:)``.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    public func catching(
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws -> Void
    ) async -> Bool {
        do {
            try await operation()
            return true
        } catch {
            postUnlessCancellation(error, metadata, .init(fileID: fileID, line: line))
            return false
        }
    }

    /// Runs a synchronous operation that returns nothing, and posts what it throws.
    ///
    /// See ``catching(metadata:fileID:line:_:)``.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    public func catching(
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws -> Void
    ) -> Bool {
        do {
            try operation()
            return true
        } catch {
            postUnlessCancellation(error, metadata, .init(fileID: fileID, line: line))
            return false
        }
    }

    /// Runs an operation, posts what it throws, and throws it on.
    ///
    /// What `catching` does not post, since the task was cancelled, is thrown on all the
    /// same.
    ///
    /// Whoever swallows an error posts it, so this is only for errors that the next level drops: otherwise they are
    /// reported twice.
    ///
    /// - Parameters:
    ///   - metadata: What to give along with an error.
    ///   - fileID: Where an error is said to be posted.
    ///   - line: Where an error is said to be posted.
    ///   - operation: What may throw. It keeps the caller's isolation.
    /// - Returns: What the operation returned.
    /// - Throws: What the operation threw.
    public func rethrowing<T, F: Error>(
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () async throws(F) -> T
    ) async throws(F) -> T {
        do {
            return try await operation()
        } catch {
            postUnlessCancellation(error, metadata, .init(fileID: fileID, line: line))
            throw error
        }
    }

    /// Runs a synchronous operation, posts what it throws, and throws it on.
    ///
    /// See ``rethrowing(metadata:fileID:line:_:)``.
    public func rethrowing<T, F: Error>(
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: () throws(F) -> T
    ) throws(F) -> T {
        do {
            return try operation()
        } catch {
            postUnlessCancellation(error, metadata, .init(fileID: fileID, line: line))
            throw error
        }
    }

    func postUnlessCancellation(_ error: any Error, _ metadata: [String: String], _ source: ErrorReport.Source) {
        if Cancellation.isEnd(error) { return }
        post(error, metadata: metadata, source: source)
    }
}
