import ErrorPresentation
import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors

/// The interactive command: the intake shows its errors to a person, who can retry.
///
/// An app with a window would use the same presenter; here a terminal shows it.
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
        Terminal.readKeys { sending.yield($0.map { .key($0) } ?? .noMoreKeys) }
        defer { Terminal.restore() }

        let ledger = Ledger.shared
        let progress = ProgressDisplay(total: inbox.entries.count, ledger: ledger, isInteractive: false) {
            sending.yield(.progress($0))
        }
        let configuration = ErrorBus.Configuration(capacity: max(4 * inbox.entries.count, 1))
        let bus = await withErrorBus(handler: Self.handler, configuration: configuration, asRoot: true) { bus in
            let observation = await screen.presenter.observe(bus)
            defer { observation.cancel() }
            let scopes = IntakeScopes(of: bus, ledger: ledger)
            let payments = RecoveringPayments(client, errors: scopes.payments)
            let intake = OrderIntake(inbox: inbox, payments: payments, ledger: ledger, progress: progress)
            // Quitting does not wait for orders that have not begun: leaving this closure cancels both tasks.
            async let _ = Self.run(intake, in: scopes)
            async let _ = screen.check(client, errors: Self.desk(of: bus))
            await screen.run(events)
            return bus
        }
        Terminal.restore()
        let statistics = await screen.presenter.statistics
        Console.writeLine("\nErrors that you were shown, or not:\n  \(statistics)")
        Console.writeLine("Errors of the bus:\n  \(bus.statistics)")
        let isBalanced = statistics.isBalanced && bus.statistics.addsUp && bus.statistics.pending == 0
        return isBalanced ? .success : .software
    }

    /// The application's rules, without the line that is written for an unmatched error: the screen shows that error.
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

    /// Returns the scope for the person's own actions: its errors count as handled, since the person sees them.
    private static func desk(of bus: ErrorBus) -> ErrorScope {
        bus.scope("desk", handler: ErrorHandler().on(NetworkError.self) { _ in .stop })
    }
}

extension ErrorMap where Value == PresentationStyle {
    /// The styles of the intake's errors; an open circuit is not shown, since the payments that opened it are.
    static let ofIntake = ErrorMap(default: .alert)
        .on(ActionFailure.self, .hidden)
        .on(ErrorsDropped.self, .hidden)
        .on(CircuitOpen.self, .hidden)
        .on(FileTooLarge.self, .banner)
}

extension ErrorMap where Value == PresentedText? {
    /// The texts of the intake's errors for a person; the errors' own texts are for developers.
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
