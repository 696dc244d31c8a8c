/// Runs something for a while at most.
///
/// - Returns: Whether it ended in time; where not, it is cancelled.
func within(_ limit: Duration, _ operation: @escaping @Sendable () async throws -> Void) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
            try await operation()
            return true
        }
        group.addTask {
            try await Task.sleep(for: limit)
            return false
        }
        defer { group.cancelAll() }
        return try await group.next() ?? false
    }
}
