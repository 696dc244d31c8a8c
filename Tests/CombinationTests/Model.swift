import HTTPErrors
/// A plain model of the modules' promises about a program.
struct Model {
    /// An error, as far as the model distinguishes errors.
    enum Failure: String {
        case flaky = "Flaky", fatal = "Fatal", expected = "Expected", cancelled = "CancellationError"
        case unreachable = "connection", busy = "http", unavailable = "server", missing = "notFound"
        case refused = "CircuitOpen"
    }

    /// A report that a bus received.
    struct Post: Hashable, CustomStringConvertible {
        let role: String
        let error: String
        let path: [String]

        var description: String { "\(role) \(error) \(path)" }
    }

    enum Circuit: Equatable {
        case closed(calls: Int, failures: Int)
        /// The circuit rejects calls until the open period is over.
        case open(isOver: Bool)
        /// A trial call has ended with an error that doesn't count.
        case halfOpen
    }

    /// The minimum number of calls for a circuit to open, if half of them fail.
    static let minimumCalls = 2

    private(set) var posts: [[Post]] = [[], []]
    /// The number of errors that a presenter of the first bus must show.
    private(set) var presented = 0
    /// The total number of attempts.
    private(set) var attempts = 0
    private(set) var circuits = [Circuit.closed(calls: 0, failures: 0), .closed(calls: 0, failures: 0)]
    private var outcomes: ArraySlice<Outcome> = []

    mutating func take(_ event: Event) {
        switch event {
        case .pause:
            // The window of a closed circuit has passed too.
            circuits = circuits.map { circuit in
                switch circuit {
                case .closed: .closed(calls: 0, failures: 0)
                case .open: .open(isOver: true)
                case .halfOpen: .halfOpen
                }
            }
        case .run(let operation): run(operation)
        }
    }

    private mutating func run(_ operation: Operation) {
        outcomes = operation.outcomes[...]
        guard let failure = failure(of: operation, in: operation.layers[...]) else { return }
        // The task wasn't cancelled, so something else was. The result is missing, and a notice reports that.
        let role = failure == .cancelled ? "notice" : "failure"
        switch operation.end {
        case .catching(let destination), .task(let destination):
            post(role, failure.rawValue, at: destination)
            if destination.bus == 0, role == "failure", failure != .expected { presented += 1 }
        case .loader(let destination):
            post(role, failure.rawValue, at: destination)
        case .action(let destination):
            post(role, failure.rawValue, at: destination)
            if destination.bus == 1 || failure != .expected { presented += 1 }
        }
    }

    private mutating func post(_ role: String, _ error: String, at destination: Destination) {
        posts[destination.bus].append(Post(role: role, error: error, path: destination.path))
    }

    /// Runs the operation inside the layers; returns the error, or nil for success.
    private mutating func failure(of operation: Operation, in layers: ArraySlice<Layer>) -> Failure? {
        switch layers.first {
        case nil:
            guard let client = operation.client else { return attempt() }
            return repeated(client.attempts ?? 1, reporting: client.errors, method: client.method) { $0.attempt() }
        case .retry(let attempts, let destination):
            return repeated(attempts, reporting: destination, method: operation.client?.method) {
                $0.failure(of: operation, in: layers.dropFirst())
            }
        case .circuit(let number):
            return guarded(by: number) { $0.failure(of: operation, in: layers.dropFirst()) }
        }
    }

    private mutating func attempt() -> Failure? {
        attempts += 1
        return switch outcomes.popFirst() {
        case nil, .success: nil
        case .flaky: .flaky
        case .fatal: .fatal
        case .expected: .expected
        case .cancelled: .cancelled
        case .unreachable: .unreachable
        case .busy: .busy
        case .unavailable: .unavailable
        case .missing: .missing
        }
    }

    /// Each attempt except the last is reported.
    ///
    /// A non-idempotent request is sent again only if it never arrived or was rejected.
    private mutating func repeated(
        _ attempts: Int, reporting destination: Destination?, method: HTTPMethod?, _ body: (inout Model) -> Failure?
    ) -> Failure? {
        for number in 1...attempts {
            guard let failure = body(&self) else { return nil }
            let isRepeated =
                switch failure {
                case .flaky, .unreachable, .busy: true
                case .unavailable: method == .get
                case .fatal, .expected, .cancelled, .missing, .refused: false
                }
            guard isRepeated, number < attempts else { return failure }
            if let destination { post("attempt", failure.rawValue, at: destination) }
        }
        return nil
    }

    private mutating func guarded(by number: Int, _ body: (inout Model) -> Failure?) -> Failure? {
        let destination: Destination = number == 0 ? .first : .second
        let before = circuits[number]
        if before == .open(isOver: false) { return .refused }
        if before == .open(isOver: true) { post("notice", "halfOpen", at: destination) }
        let failure = body(&self)
        let counts = [.flaky, .unavailable, .unreachable].contains(failure)
        switch before {
        case .closed where failure == .cancelled || failure == .refused:
            break
        case .closed(let calls, let failures):
            let ended = Circuit.closed(calls: calls + 1, failures: failures + (counts ? 1 : 0))
            if case .closed(let calls, let failures) = ended, calls >= Self.minimumCalls, 2 * failures >= calls {
                circuits[number] = .open(isOver: false)
                post("notice", "open", at: destination)
            } else {
                circuits[number] = ended
            }
        case .open, .halfOpen:
            let opens = counts || failure == .cancelled
            circuits[number] =
                opens ? .open(isOver: false) : failure == nil ? .closed(calls: 0, failures: 0) : .halfOpen
            if opens { post("notice", "open", at: destination) }
            if failure == nil { post("notice", "closed", at: destination) }
        }
        return failure
    }
}
