/// Something that takes errors: a bus, or what stands for one.
///
/// Libraries take `any ErrorPosting`, with ``AmbientErrorPosting`` (`.ambient`) as the default.
public protocol ErrorPosting: Sendable {
    /// Posts an error. Never suspends, never throws, never waits for an action, and works on any thread.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along.
    ///   - source: Where it is posted.
    func post(_ error: consuming any Error, metadata: [String: String], source: ErrorReport.Source)

    /// Posts an error and waits until it is delivered. Inside an action it returns `.pending` at once.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along.
    ///   - source: Where it is posted.
    /// - Returns: What became of it.
    @discardableResult
    func deliver(_ error: any Error, metadata: [String: String], source: ErrorReport.Source) async -> HandleOutcome
}

extension ErrorPosting {
    /// Posts an error.
    ///
    /// Never suspends, never throws, never waits for an action, and works on any thread.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along.
    ///   - fileID: Where it is posted.
    ///   - line: Where it is posted.
    public func post(
        _ error: consuming any Error,
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        post(error, metadata: metadata, source: .init(fileID: fileID, line: line))
    }

    /// Posts an error and waits until it is delivered.
    ///
    /// Inside an action it returns `.pending` at once.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along.
    ///   - fileID: Where it is posted.
    ///   - line: Where it is posted.
    /// - Returns: What became of it.
    @discardableResult
    public func deliver(
        _ error: any Error,
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line
    ) async -> HandleOutcome {
        await deliver(error, metadata: metadata, source: .init(fileID: fileID, line: line))
    }
}
