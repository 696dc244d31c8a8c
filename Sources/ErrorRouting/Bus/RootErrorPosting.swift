/// A poster that posts to the process's root bus or, if there is none, to the ``LastResort``.
struct RootErrorPosting: ErrorPosting {
    func post(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        if let root = ErrorBus.root { return root.post(error, as: role, metadata: metadata, source: source) }
        let report = ErrorReport(error: error, role: role, source: source, metadata: metadata)
        LastResort.ofProcess.write(report, because: "there is no root bus")
    }

    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        if let root = ErrorBus.root {
            return await root.deliver(error, as: role, metadata: metadata, source: source)
        }
        post(error, as: role, metadata: metadata, source: source)
        return HandleOutcome(disposition: .unmatched)
    }

    var wrapped: (any ErrorPosting)? { ErrorBus.root }
}

extension AmbientErrorPosting {
    /// A poster for the root bus or, if there is none, the last resort, regardless of the task's bindings.
    ///
    /// Use it in an object that lives as long as the process and works for all callers, because its posts don't belong
    /// to the scope of any single caller.
    public static var root: any ErrorPosting { RootErrorPosting() }
}
