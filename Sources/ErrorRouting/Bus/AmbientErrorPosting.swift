/// The poster of whoever calls: the innermost scope or bus of the task, else the process's root bus, else standard
/// error.
///
/// It is looked up at every call, so one value serves everywhere; `.ambient` is the default by which a library takes a
/// poster:
///
/// ```swift
/// public init(errors: any ErrorPosting = .ambient)
/// ```
public struct AmbientErrorPosting: ErrorPosting {
    /// Makes the ambient poster; `.ambient` reads better.
    public init() {}

    /// What it stands for here and now; nil where only standard error is left.
    var target: (any ErrorPosting)? { ErrorScope.innermost ?? ErrorBus.current ?? ErrorBus.root }

    /// Why an error goes to standard error where there is no poster.
    static let noBus = "no bus is bound, and there is no root bus"

    /// Posts to the innermost scope or bus of this task, else to the root; where there is none, writes the error to
    /// standard error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along.
    ///   - source: Where it is posted.
    public func post(_ error: any Error, metadata: [String: String], source: ErrorReport.Source) {
        guard let target else {
            let report = ErrorReport(error: error, source: source, metadata: metadata)
            LastResort.ofProcess.write(report, because: Self.noBus)
            return
        }
        target.post(error, metadata: metadata, source: source)
    }

    /// Posts as ``post(_:metadata:source:)`` does, and waits for the outcome.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along.
    ///   - source: Where it is posted.
    /// - Returns: What became of it; `.unmatched` where it went to standard error.
    @discardableResult
    public func deliver(
        _ error: any Error,
        metadata: [String: String],
        source: ErrorReport.Source
    ) async -> HandleOutcome {
        guard let target else {
            post(error, metadata: metadata, source: source)
            return HandleOutcome(disposition: .unmatched)
        }
        return await target.deliver(error, metadata: metadata, source: source)
    }
}

extension ErrorPosting where Self == AmbientErrorPosting {
    /// The poster of whoever calls: the scope or bus of the task, else the root bus, else standard error.
    public static var ambient: AmbientErrorPosting { AmbientErrorPosting() }
}

/// Posts an error to the innermost scope or bus of this task, else to the process's root bus, else to standard error.
///
/// For code that was handed no poster: callbacks, delegates, threads. Works anywhere. In an action it posts to the bus
/// that delivers, in no scope: those of the report were its poster's.
///
/// - Parameters:
///   - error: The error.
///   - metadata: What to give along.
///   - fileID: Where it is posted.
///   - line: Where it is posted.
public func postError(
    _ error: any Error,
    metadata: [String: String] = [:],
    fileID: String = #fileID,
    line: UInt = #line
) {
    AmbientErrorPosting().post(error, metadata: metadata, fileID: fileID, line: line)
}
