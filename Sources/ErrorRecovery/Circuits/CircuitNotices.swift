import ErrorRouting

/// Posts a circuit's state changes to the same destination, regardless of which caller changes the state.
struct CircuitNotices: Sendable {
    private let errors: any ErrorPosting
    /// The bus that was bound when the circuit was created, if the circuit posts to `.ambient`.
    ///
    /// The reference is weak because a circuit might live as long as the process, and must not keep the bus alive.
    private weak var home: ErrorBus?
    private let source: ErrorReport.Source

    init(_ errors: any ErrorPosting, source: ErrorReport.Source) {
        self.errors = errors
        home = errors is AmbientErrorPosting ? ErrorBus.current : nil
        self.source = source
    }

    func post(_ change: CircuitChanged) {
        let metadata = ["circuit.name": change.name, "circuit.state": change.state.rawValue]
        // Don't post to the caller's bus or scope: any caller can change the state.
        let target: any ErrorPosting = errors is AmbientErrorPosting ? home ?? AmbientErrorPosting.root : errors
        target.post(change, as: .notice, metadata: metadata, source: source)
    }
}
