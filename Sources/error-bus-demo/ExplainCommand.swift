import BoundedDescriptions
import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors

/// Shows which rules would match an error, for one error of each kind.
///
/// The errors are real; no action runs.
struct ExplainCommand: Sendable {
    let options: Options

    private struct Sample {
        let title: String
        let error: any Error
        /// The scope in which the error would be posted.
        let scope: ErrorScope
    }

    @concurrent
    func run() async throws -> ExitStatus {
        // The bus does not run: explaining needs only the rules.
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
            // Escaped, since a file's name may contain any character.
            let title = OneLine.escaped(sample.title)
            Console.writeLine("--- \(title), in the scope \(sample.scope.path.joined(separator: "/"))")
            Console.writeLine("\(sample.scope.explain(sample.error))\n")
            // A payment's error is posted only if the retry policy, whose rules are of the same kind, does not retry
            // it.
            if sample.scope === scopes.payments {
                Console.writeLine("Tried again?\n\(RetryPolicy.payments.explain(sample.error))\n")
            }
        }
        return .success
    }

    /// Reads every entry, and returns the errors.
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

    /// Returns the first error of each kind: of each type, enum case, code and underlying code, as rules may
    /// distinguish.
    private static func oneOfEachKind(_ samples: [Sample]) -> [Sample] {
        var kinds = Set<String>()
        return samples.filter { sample in
            let label = Mirror(reflecting: sample.error).children.first?.label ?? "\(sample.error)"
            let error = sample.error as NSError
            let underlying = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { ($0 as NSError).code }
            return kinds.insert("\(type(of: sample.error)) \(label) \(error.code) \(underlying ?? 0)").inserted
        }
    }

    /// Returns the errors of failed responses and of an unreachable endpoint.
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
        let unreachable = samples.first?.error ?? NetworkError(.noData)
        let open = CircuitOpen(name: "payments", retryAfter: .milliseconds(250), cause: unreachable)
        samples.append(Sample(title: "a payment while the circuit is open", error: open, scope: scope))
        for status in [402, 503] {
            let error = NetworkError(HTTPFailure(status: status))
            samples.append(Sample(title: "a payment endpoint that answers \(status)", error: error, scope: scope))
        }
        return samples
    }

    /// Charges an order, and cancels the charge as Ctrl-C would.
    ///
    /// The endpoint never responds, so the request is certainly under way when it is cancelled.
    private static func cutOff(_ order: Order) async throws {
        var endpoint = try SilentEndpoint()
        let payments = PaymentClient(endpoint: endpoint.url)
        let charge = Task { try await payments.charge(order) }
        try endpoint.waitForConnection()
        charge.cancel()
        try await charge.value
    }

    /// Returns the notice that the bus would deliver after a failed action.
    private static func actionFailures(of scope: ErrorScope, inbox: FilePath) async -> [Sample] {
        let file = inbox.appending("gone.json")
        let decoding = await thrown { _ = try JSONDecoder().decode(Order.self, from: Data()) }
        let moving = await thrown { try await Quarantine.move(file) }
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
