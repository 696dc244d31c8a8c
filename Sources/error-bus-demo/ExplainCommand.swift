import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors

/// Shows which rules would take an error, for one error of each kind.
///
/// The errors are real; no action runs.
struct ExplainCommand: Sendable {
    let options: Options

    private struct Sample {
        let title: String
        let error: any Error
        /// Where it would be posted.
        let scope: ErrorScope
    }

    @concurrent
    func run() async throws -> ExitStatus {
        // It does not run: explaining needs the rules alone.
        let scopes = IntakeScopes(of: ErrorBus(handler: .default), ledger: .shared)
        var samples: [Sample]
        if let path = options.inbox {
            samples = Self.oneOfEachKind(Self.failures(of: try Inbox(path), in: scopes.intake))
            if samples.isEmpty {
                Console.writeLine("Every order of this inbox can be read, and breaks no business rule.")
            }
        } else {
            let oneOfEach = Dictionary(uniqueKeysWithValues: SampleInbox.Kind.allCases.map { ($0, 1) })
            let sample = try SampleInbox(kinds: oneOfEach)
            defer { sample.remove() }
            samples = Self.failures(of: try Inbox(FilePath(sample.folder.path)), in: scopes.intake)
            samples += await Self.paymentFailures(in: scopes.payments)
            samples += await Self.actionFailures(of: scopes.intake, inbox: FilePath(sample.folder.path))
        }
        for sample in samples where !Task.isCancelled {
            // A file's name, which may be anything.
            let title = OneLine.escaped(sample.title)
            Console.writeLine("--- \(title), in the scope \(sample.scope.path.joined(separator: "/"))")
            Console.writeLine("\(sample.scope.explain(sample.error))\n")
            // Whether it is tried again before anybody hears of it is for other rules to say, of the same kind.
            if sample.scope === scopes.payments {
                Console.writeLine("Tried again?\n\(RetryPolicy.payments.explain(sample.error))\n")
            }
        }
        return .success
    }

    /// Reads every entry, and keeps what goes wrong.
    private static func failures(of inbox: Inbox, in scope: ErrorScope) -> [Sample] {
        inbox.entries.compactMap { file in
            do {
                try Inbox.readOrder(file).validate()
                return nil
            } catch {
                return Sample(title: file.name.text, error: error, scope: scope)
            }
        }
    }

    /// The first error of each kind: by type, enum case, code and underlying code, which a rule may tell apart.
    private static func oneOfEachKind(_ samples: [Sample]) -> [Sample] {
        var kinds = Set<String>()
        return samples.filter { sample in
            let label = Mirror(reflecting: sample.error).children.first?.label ?? "\(sample.error)"
            let error = sample.error as NSError
            let underlying = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { ($0 as NSError).code }
            return kinds.insert("\(type(of: sample.error)) \(label) \(error.code) \(underlying ?? 0)").inserted
        }
    }

    /// What an endpoint can answer, and what happens where there is none.
    private static func paymentFailures(in scope: ErrorScope) async -> [Sample] {
        let payments = PaymentClient(endpoint: PaymentClient.closedEndpoint)
        let order = Order(id: "A-1", customer: "customer-1", lines: [])
        var samples: [Sample] = []
        if let error = await thrown({ try await payments.charge(order) }) {
            samples.append(Sample(title: "a payment endpoint where nobody listens", error: error, scope: scope))
        }
        if let error = await thrown({ try await cutOff(order) }) {
            samples.append(Sample(title: "a request cut off by Ctrl-C", error: error, scope: scope))
        }
        let unreachable = samples.first?.error ?? NetworkError.noData
        let open = CircuitOpen(name: "payments", retryAfter: .milliseconds(250), cause: unreachable)
        samples.append(Sample(title: "a payment while the circuit is open", error: open, scope: scope))
        for status in [402, 503] {
            let error = NetworkError(HTTPFailure(status: status))
            samples.append(Sample(title: "a payment endpoint that answers \(status)", error: error, scope: scope))
        }
        return samples
    }

    /// Charges an order as if Ctrl-C came meanwhile.
    ///
    /// For certain in the middle, since nobody answers.
    private static func cutOff(_ order: Order) async throws {
        var endpoint = try SilentEndpoint()
        let payments = PaymentClient(endpoint: endpoint.url)
        let charge = Task { try await payments.charge(order) }
        try endpoint.waitForConnection()
        charge.cancel()
        try await charge.value
    }

    /// What the bus would deliver after an action that failed.
    private static func actionFailures(of scope: ErrorScope, inbox: FilePath) async -> [Sample] {
        let file = inbox.appending("gone.json")
        let decoding = await thrown { _ = try JSONDecoder().decode(Order.self, from: Data()) }
        let moving = await thrown { try await Quarantine.take(file) }
        guard let decoding, let moving else { return [] }
        guard let rule = scope.explain(decoding).entries.first(where: { $0.verdict == .matched })?.rule else {
            return []
        }
        let report = ErrorReport(error: decoding, source: .init(), metadata: [ErrorReport.orderFileKey: file.text])
        let failure = ActionFailure(error: moving, report: report, rule: rule)
        let title = "a broken file that is gone when it is to be moved to quarantine"
        return [Sample(title: title, error: failure, scope: scope)]
    }

    private static func thrown(_ operation: () async throws -> Void) async -> (any Error)? {
        do {
            try await operation()
            return nil
        } catch {
            return error
        }
    }
}
