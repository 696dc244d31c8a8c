/// An ``ErrorPosting`` value that finds the receiver of each post in the calling task.
///
/// Each post goes to the first of these that exists: the scope or bus that was bound last in the calling task, the
/// process's root bus, the ``LastResort``, which is standard error by default. Because the receiver is looked up on
/// every call, one value works everywhere. In a library, use `.ambient` as the default value of a parameter:
///
/// ```swift
/// public init(errors: any ErrorPosting = .ambient)
/// ```
public struct AmbientErrorPosting: ErrorPosting {
    /// Whether posts go to the root bus regardless of the calling task's scope and bus.
    private let isForRoot: Bool

    /// Creates a poster that finds its receiver on each post; it works like `.ambient`.
    public init() { self.init(isForRoot: false) }

    private init(isForRoot: Bool) { self.isForRoot = isForRoot }

    /// The reason that the last resort receives if there is no bus.
    package static let noBus = "no bus is bound, and there is no root bus"

    /// Posts an error to the calling task's scope or bus, the root bus, or the last resort, whichever exists first.
    ///
    /// - Parameters:
    ///   - error: The error to post.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    public func post(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        if let target = wrapped {
            target.post(error, as: role, metadata: metadata, source: source)
        } else {
            writeToLastResort(ErrorReport(error: error, role: role, source: source, metadata: metadata))
        }
    }

    /// Posts an error like ``post(_:as:metadata:source:)`` and waits until the error is delivered.
    ///
    /// - Parameters:
    ///   - error: The error to post.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome; `.unmatched` if the error went to the last resort.
    @discardableResult
    public func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        guard let target = wrapped else {
            return writeToLastResort(ErrorReport(error: error, role: role, source: source, metadata: metadata))
        }
        return await target.deliver(error, as: role, metadata: metadata, source: source)
    }

    /// Writes a report that no bus receives to the last resort; returns its outcome.
    @discardableResult
    func writeToLastResort(_ report: ErrorReport) -> HandleOutcome {
        LastResort.ofProcess.write(report, because: isForRoot ? "there is no root bus" : Self.noBus)
        return HandleOutcome(disposition: .unmatched)
    }

    /// The scope or bus that receives posts now; nil if they go to the last resort.
    public var wrapped: (any ErrorPosting)? {
        if isForRoot { return ErrorBus.root }
        let ambience = Ambience.current
        return ambience.scope ?? ambience.bus ?? ErrorBus.root
    }

    /// A poster for the root bus or, if there is no root bus, the last resort, regardless of the task's bindings.
    ///
    /// Use it in an object that lives as long as the process and works for all callers, because its posts don't belong
    /// to the scope of a single caller.
    public static var root: any ErrorPosting { AmbientErrorPosting(isForRoot: true) }
}

extension ErrorPosting where Self == AmbientErrorPosting {
    /// A poster that finds the receiver of each post in the calling task; see ``AmbientErrorPosting``.
    public static var ambient: AmbientErrorPosting { AmbientErrorPosting() }
}

/// Posts an error to the calling task's scope or bus, the root bus, or the last resort, whichever exists first.
///
/// Use it in code that doesn't receive a poster: callbacks, delegates, threads. It works on any thread. In an action,
/// it posts to the delivering bus itself, because the scope of the report in delivery isn't bound in the action.
///
/// - Parameters:
///   - error: The error to post.
///   - role: The role of the report; a failure by default.
///   - metadata: Metadata for the report.
///   - fileID: The file in which the error is posted.
///   - line: The line on which the error is posted.
public func postError(
    _ error: any Error, as role: ErrorReport.Role = .failure, metadata: [String: String] = [:],
    fileID: String = #fileID, line: UInt = #line
) { AmbientErrorPosting().post(error, as: role, metadata: metadata, fileID: fileID, line: line) }
