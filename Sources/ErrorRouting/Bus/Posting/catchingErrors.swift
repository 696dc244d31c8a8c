/// Runs an operation; if it throws, posts the error like `postError` and returns nil.
///
/// The error goes to the first of these that exists: the task's innermost scope, the task's bus, the process's root
/// bus, the last resort. Use this function instead of `try?` if the code has no poster:
///
/// ```swift
/// let order = await catchingErrors { try await intake.next() }
/// ```
///
/// A cancellation is posted as in the `catching` methods of ``ErrorPosting``: as a notice, or not at all if the task is
/// cancelled.
///
/// - Parameters:
///   - metadata: Metadata for the report; evaluated only if the operation throws.
///   - fileID: The file of the report's source location.
///   - line: The line of the report's source location.
///   - operation: The operation to run. It keeps the caller's isolation.
/// - Returns: The operation's result, or nil if it threw.
@discardableResult
public func catchingErrors<T>(
    metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
    _ operation: () async throws -> T
) async -> T? { await AmbientErrorPosting().catching(metadata: metadata(), fileID: fileID, line: line, operation) }

/// Runs an operation and returns its optional result unchanged, not nested in another optional; see
/// ``catchingErrors(metadata:fileID:line:_:)``.
@discardableResult
public func catchingErrors<T>(
    metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
    _ operation: () async throws -> T?
) async -> T? { await AmbientErrorPosting().catching(metadata: metadata(), fileID: fileID, line: line, operation) }

/// Runs a synchronous operation and posts the error that it throws; see ``catchingErrors(metadata:fileID:line:_:)``.
@discardableResult
public func catchingErrors<T>(
    metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
    _ operation: () throws -> T
) -> T? { AmbientErrorPosting().catching(metadata: metadata(), fileID: fileID, line: line, operation) }

/// Runs a synchronous operation and returns its optional result unchanged, not nested in another optional.
///
/// See ``catchingErrors(metadata:fileID:line:_:)``.
@discardableResult
public func catchingErrors<T>(
    metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
    _ operation: () throws -> T?
) -> T? { AmbientErrorPosting().catching(metadata: metadata(), fileID: fileID, line: line, operation) }

/// Runs an operation that doesn't return a value and posts the error that it throws.
///
/// See ``catchingErrors(metadata:fileID:line:_:)``.
///
/// - Returns: Whether the operation succeeded.
@discardableResult
public func catchingErrors(
    metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
    _ operation: () async throws -> Void
) async -> Bool { await AmbientErrorPosting().catching(metadata: metadata(), fileID: fileID, line: line, operation) }

/// Runs a synchronous operation that doesn't return a value and posts the error that it throws.
///
/// See ``catchingErrors(metadata:fileID:line:_:)``.
///
/// - Returns: Whether the operation succeeded.
@discardableResult
public func catchingErrors(
    metadata: @autoclosure () -> [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
    _ operation: () throws -> Void
) -> Bool { AmbientErrorPosting().catching(metadata: metadata(), fileID: fileID, line: line, operation) }
