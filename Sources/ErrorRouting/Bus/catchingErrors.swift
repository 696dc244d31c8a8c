/// Runs an operation; if it throws, posts the error to the innermost scope or bus of this task, else to the process's
/// root bus, else to the last resort, and returns nil.
///
/// For a task that nobody waits for, where no poster is at hand:
///
/// ```swift
/// Task { await catchingErrors { try await refresh() } }
/// ```
///
/// A cancellation is posted as by `catching` of an ``ErrorPosting``: as a notice, or not at all in a cancelled task.
///
/// - Parameters:
///   - metadata: Metadata for the report of an error; computed only if there is one.
///   - fileID: The file that the report of an error gives as its source.
///   - line: The line that the report of an error gives as its source.
///   - operation: The operation that may throw. It keeps the caller's isolation.
/// - Returns: What the operation returned, or nil if it threw.
@discardableResult
public func catchingErrors<T>(
    metadata: @autoclosure () -> [String: String] = [:],
    fileID: String = #fileID,
    line: UInt = #line,
    _ operation: () async throws -> T
) async -> T? {
    try? await AmbientErrorPosting().rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)
}

/// Runs a synchronous operation, and posts what it throws; see ``catchingErrors(metadata:fileID:line:_:)``.
@discardableResult
public func catchingErrors<T>(
    metadata: @autoclosure () -> [String: String] = [:],
    fileID: String = #fileID,
    line: UInt = #line,
    _ operation: () throws -> T
) -> T? {
    try? AmbientErrorPosting().rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)
}
