/// A poster that posts to the innermost scope or bus of the calling task, else to the process's root bus, else to the
/// ``LastResort``, which is standard error unless it is set.
///
/// The scope or bus is looked up at every call, so one value serves everywhere. A library declares its poster with
/// `.ambient` as the default value:
///
/// ```swift
/// public init(errors: any ErrorPosting = .ambient)
/// ```
public struct AmbientErrorPosting: ErrorPosting {
    init() {}

    /// The reason given to the last resort if there is no bus.
    static let noBus = "no bus is bound, and there is no root bus"

    /// Posts to the innermost scope or bus of this task, else to the root; if there is none, writes the error to the
    /// last resort.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    public func post(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        guard let target = wrapped else {
            let report = ErrorReport(error: error, role: role, source: source, metadata: metadata)
            return LastResort.ofProcess.write(report, because: Self.noBus)
        }
        target.post(error, as: role, metadata: metadata, source: source)
    }

    /// Posts as ``post(_:as:metadata:source:)`` does, and waits until the error is delivered.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome; `.unmatched` if the error went to the last resort.
    @discardableResult
    public func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        guard let target = wrapped else {
            post(error, as: role, metadata: metadata, source: source)
            return HandleOutcome(disposition: .unmatched)
        }
        return await target.deliver(error, as: role, metadata: metadata, source: source)
    }

    /// The scope or bus that this posts to now; nil if only the last resort is left.
    public var wrapped: (any ErrorPosting)? {
        let ambience = Ambience.current
        return ambience.scope ?? ambience.bus ?? ErrorBus.root
    }
}

extension ErrorPosting where Self == AmbientErrorPosting {
    /// The scope or bus of the calling task, else the root bus, else the last resort.
    public static var ambient: AmbientErrorPosting { AmbientErrorPosting() }
}

/// Posts an error to the innermost scope or bus of this task, else to the process's root bus, else to the last resort.
///
/// For code that was handed no poster: callbacks, delegates, threads. Works on any thread. In an action it posts to the
/// bus that delivers, in no scope: the report's scope is that of its poster, and is not bound in the action.
///
/// - Parameters:
///   - error: The error.
///   - role: What the post is: a failure unless said otherwise.
///   - metadata: Metadata for the report.
///   - fileID: The file in which the error is posted.
///   - line: The line on which the error is posted.
public func postError(
    _ error: any Error,
    as role: ErrorReport.Role = .failure,
    metadata: [String: String] = [:],
    fileID: String = #fileID,
    line: UInt = #line
) {
    AmbientErrorPosting().post(error, as: role, metadata: metadata, fileID: fileID, line: line)
}
