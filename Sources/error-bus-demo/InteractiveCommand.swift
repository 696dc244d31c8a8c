import ErrorPresentation
import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors

/// The intake with somebody before it: what goes wrong is shown to a person, who may try again.
///
/// The presenter is the one that a window would have; here a terminal shows it.
struct InteractiveCommand: Sendable {
    let options: Options

    @concurrent
    func run() async throws -> ExitStatus {
        guard Terminal.isThere else {
            Console.writeError("error-bus-demo: --interactive needs a terminal, for its input and for its output")
            return .usage
        }
        let sample = options.inbox == nil ? try SampleInbox(kinds: SampleInbox.someHundreds) : nil
        defer { if !options.keepsFiles { sample?.remove() } }
        if options.keepsFiles { sample?.keep() }
        let inbox = try Inbox(options.inbox ?? FilePath(sample?.folder.path ?? ""))
        let client = PaymentClient(endpoint: options.payments ?? PaymentClient.closedEndpoint)

        let (events, sending) = AsyncStream.makeStream(of: InteractiveScreen.Event.self)
        let screen = await InteractiveScreen { sending.yield(.changed) }
        Terminal.takeKeys { sending.yield($0.map { .key($0) } ?? .noMoreKeys) }
        defer { Terminal.restore() }

        let ledger = Ledger.shared
        let progress = ProgressDisplay(total: inbox.entries.count, ledger: ledger, isInteractive: false) {
            sending.yield(.progress($0))
        }
        let configuration = ErrorBus.Configuration(capacity: max(4 * inbox.entries.count, 1))
        let bus = await withErrorBus(handler: Self.handler, configuration: configuration, asRoot: true) { bus in
            let observation = await screen.presenter.present(bus)
            defer { observation.cancel() }
            let scopes = IntakeScopes(of: bus, ledger: ledger)
            let payments = RecoveringPayments(client, reportingTo: scopes.payments)
            let intake = OrderIntake(inbox: inbox, payments: payments, ledger: ledger, progress: progress)
            // Whoever quits does not wait for orders that are not begun: leaving this scope cancels both.
            async let _ = Self.run(intake, in: scopes)
            async let _ = screen.check(client, errors: Self.desk(of: bus))
            await screen.run(events)
            return bus
        }
        Terminal.restore()
        let statistics = await screen.presenter.statistics
        Console.writeLine("\nErrors that you were shown, or not:\n  \(statistics)")
        Console.writeLine("Errors of the bus:\n  \(bus.statistics)")
        let isBalanced = statistics.isBalanced && bus.statistics.isBalanced && bus.statistics.pending == 0
        return isBalanced ? .success : .software
    }

    /// The application's rules, but a person sees what none of them knows: a line of it would fall into the screen.
    private static let handler = ErrorHandler.default.overlaid(
        with: ErrorHandler().onNoMatch { _ in
            Ledger.shared.record(.left)
            return .stop
        }
    )

    private static func run(_ intake: OrderIntake, in scopes: IntakeScopes) async {
        await intake.run(in: scopes)
        await intake.progress.finish()
    }

    /// Where the person's own doings are posted: they are told themselves, and nobody else has to be.
    private static func desk(of bus: ErrorBus) -> ErrorScope {
        bus.scope("desk", handler: ErrorHandler().on(NetworkError.self) { _ in .stop })
    }
}

extension ErrorMap where Value == PresentationStyle {
    /// What the person hears of: not that the circuit is open, since the payments that opened it are shown.
    static let ofIntake = ErrorMap.default
        .on(CircuitOpen.self, .never)
        .on(FileTooLarge.self, .banner)
}

extension ErrorMap where Value == PresentedText? {
    /// The intake's errors in words for a person; what they say themselves is for developers.
    static let ofIntake = ErrorMap(default: nil)
        .on(
            DecodingError.self,
            PresentedText(
                title: "A broken order", message: "An order file cannot be read.",
                recoverySuggestion: "It is in quarantine. Ask its sender for another one.")
        )
        .on(OrderError.self) { error in
            let message =
                switch error {
                case .noLines: "There is nothing in it."
                case .invalidLine(let sku): "So many of \(sku), at such a price, cannot be ordered."
                case .overLimit(let cents): "It costs \(cents / 100), and needs an approval."
                }
            return PresentedText(title: "An order that breaks a rule", message: message)
        }
        .on(domain: NSPOSIXErrorDomain) { PresentedText(title: "A file", message: $0.localizedDescription) }
        .on(
            matching: .unreachable,
            PresentedText(
                title: "Payments", message: "The payment endpoint cannot be reached.",
                recoverySuggestion: "See that somebody listens there: --payments URL says where.")
        )
}
