/// A poster for the calling task's innermost scope or bus or, without one, the process's root bus; otherwise it writes
/// to the ``LastResort``, which is standard error by default.
///
/// The poster looks up the scope or bus at every call, so one value works everywhere. A library declares its poster
/// with `.ambient` as the default value:
///
/// ```swift
/// public init(errors: any ErrorPosting = .ambient)
/// ```
public struct AmbientErrorPosting: ErrorPosting {
    /// Whether it ignores the calling task's scope and bus.
    private let isForRoot: Bool

    /// Creates a poster that finds its target at each post: the same as `.ambient`.
    public init() { self.init(isForRoot: false) }

    private init(isForRoot: Bool) { self.isForRoot = isForRoot }

    /// The reason that the last resort receives if there is no bus.
    package static let noBus = "no bus is bound, and there is no root bus"

    /// Posts to the innermost scope or bus of this task or, without one, to the root bus; if there is none, writes the
    /// error to the last resort.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    public func post(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        guard let target = wrapped else {
            return writeToLastResort(error, as: role, metadata: metadata, source: source)
        }
        target.post(error, as: role, metadata: metadata, source: source)
    }

    /// Posts as ``post(_:as:metadata:source:)`` does and waits until the error is delivered.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome; `.unmatched` if the error went to the last resort.
    @discardableResult
    public func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        guard let target = wrapped else {
            writeToLastResort(error, as: role, metadata: metadata, source: source)
            return HandleOutcome(disposition: .unmatched)
        }
        return await target.deliver(error, as: role, metadata: metadata, source: source)
    }

    private func writeToLastResort(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        writeToLastResort(ErrorReport(error: error, role: role, source: source, metadata: metadata))
    }

    func writeToLastResort(_ report: ErrorReport) {
        LastResort.ofProcess.write(report, because: isForRoot ? "there is no root bus" : Self.noBus)
    }

    /// The bus that receives posts now; nil if only the last resort is left.
    var bus: ErrorBus? {
        let target = wrapped
        return (target as? ErrorScope)?.rooted.bus ?? target as? ErrorBus
    }

    /// The scope or bus that receives posts now; nil if only the last resort is left.
    public var wrapped: (any ErrorPosting)? {
        if isForRoot { return ErrorBus.root }
        let ambience = Ambience.current
        return ambience.scope ?? ambience.bus ?? ErrorBus.root
    }

    /// A poster for the root bus or, if there is none, the last resort, regardless of the task's bindings.
    ///
    /// Use it in an object that lives as long as the process and works for all callers, because its posts don't belong
    /// to the scope of any single caller.
    public static var root: any ErrorPosting { AmbientErrorPosting(isForRoot: true) }
}

extension ErrorPosting where Self == AmbientErrorPosting {
    /// A poster for the task's scope or bus or, without one, the root bus; otherwise the last resort.
    public static var ambient: AmbientErrorPosting { AmbientErrorPosting() }
}

/// Posts an error to the innermost scope or bus of this task or, without one, to the process's root bus; otherwise
/// writes it to the last resort.
///
/// Use it in code that receives no poster: callbacks, delegates, threads. It works on any thread. In an action it posts
/// to the delivering bus, in no scope: the scope of the report in delivery isn't bound in the action.
///
/// - Parameters:
///   - error: The error.
///   - role: The role of the report; a failure by default.
///   - metadata: Metadata for the report.
///   - fileID: The file in which the error is posted.
///   - line: The line on which the error is posted.
public func postError(
    _ error: any Error, as role: ErrorReport.Role = .failure, metadata: [String: String] = [:],
    fileID: String = #fileID, line: UInt = #line
) { AmbientErrorPosting().post(error, as: role, metadata: metadata, fileID: fileID, line: line) }
