import ErrorRouting

/// Where a circuit posts its changes: always the same place, whichever caller happens to change the state.
struct CircuitNotices: Sendable {
    private let errors: any ErrorPosting
    /// The bus of the task that made the circuit, if the circuit was told to report to `.ambient`.
    ///
    /// Weak: a circuit may live as long as the process, and must not keep a bus alive that is no longer needed.
    private weak var home: ErrorBus?
    private let source: ErrorReport.Source

    init(_ errors: any ErrorPosting, source: ErrorReport.Source) {
        self.errors = errors
        home = errors is AmbientErrorPosting ? ErrorBus.current : nil
        self.source = source
    }

    func post(_ change: CircuitChanged) {
        let metadata = ["circuit.name": change.name, "circuit.state": change.state.rawValue]
        // Not the caller's bus or scope: those are of whoever happens to change the state.
        let target: any ErrorPosting = errors is AmbientErrorPosting ? home ?? AmbientErrorPosting.root : errors
        target.post(change, as: .notice, metadata: metadata, source: source)
    }
}
