/// Runs an operation; if it throws, posts the error as `postError` does and returns nil.
///
/// The error goes to the innermost scope or bus of this task or, without one, to the process's root bus; otherwise to
/// the last resort. Use it in a task that no caller waits for, if no poster is at hand:
///
/// ```swift
/// Task { await catchingErrors { try await refresh() } }
/// ```
///
/// A cancellation is posted as in `catching` of an ``ErrorPosting``: as a notice, or not at all in a cancelled task.
///
/// - Parameters:
///   - metadata: Metadata for the report of an error; computed only if there is one.
///   - fileID: The source file in the report of an error.
///   - line: The source line in the report of an error.
///   - operation: The operation that can throw. It keeps the caller's isolation.
/// - Returns: The operation's result, or nil if it threw.
@discardableResult
public func catchingErrors<T>(
    metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
    _ operation: () async throws -> T
) async -> T? {
    try? await AmbientErrorPosting().rethrowing(metadata: metadata(), fileID: fileID, line: line, operation)
}

/// Runs a synchronous operation and posts the error it throws; see ``catchingErrors(metadata:fileID:line:_:)``.
@discardableResult
public func catchingErrors<T>(
    metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
    _ operation: () throws -> T
) -> T? { try? AmbientErrorPosting().rethrowing(metadata: metadata(), fileID: fileID, line: line, operation) }
