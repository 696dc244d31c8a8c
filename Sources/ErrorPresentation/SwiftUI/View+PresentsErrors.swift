#if canImport(SwiftUI)
    public import ErrorRouting
    public import SwiftUI

    extension View {
        /// Shows a bus's failures, and those of the user's own actions in this view, as alerts and banners.
        ///
        /// ```swift
        /// WindowGroup { ShopScreen().presentsErrors(from: bus, rules: .default.on(Offline.self, .banner)) }
        /// ```
        ///
        /// The modified view finds an ``ErrorPresenter`` in its environment. It calls `run` and shows inline errors
        /// with it. A window's outermost modifier creates the presenter, which observes the bus while the view exists.
        ///
        /// A view can't show an alert while a sheet covers it, so the sheet's content needs this modifier too. There it
        /// uses the presenter from its environment and ignores `bus`, `rules`, and `texts`:
        ///
        /// ```swift
        /// ShopScreen()
        ///     .sheet(item: $cart) { PaymentSheet(cart: $0).presentsErrors(from: bus) }
        ///     .presentsErrors(from: bus, isCovered: cart != nil)
        /// ```
        ///
        /// An alert has the button "OK", the button "Try again" if the operation can be retried, and a button for each
        /// option of a `RecoverableError`. A banner shows its text at the top edge. It disappears when the user taps it
        /// or after its time (``ErrorPresenter/bannerDuration``). Both button titles are looked up in the app's string
        /// tables.
        ///
        /// The modifier hasn't been run on an Apple platform. It is type-checked against declarations of SwiftUI that
        /// follow Apple's documentation.
        ///
        /// - Parameters:
        ///   - bus: The bus.
        ///   - rules: How errors are shown. By default, only errors that the user waits for are shown, as alerts.
        ///   - texts: The texts to show instead of the errors' own texts.
        ///   - isCovered: Whether a sheet covers this view and shows the errors instead.
        /// - Returns: The view with its errors.
        public func presentsErrors(
            from bus: ErrorBus,
            rules: ErrorMap<PresentationStyle> = .default,
            texts: ErrorMap<PresentedText?> = ErrorMap(default: nil),
            isCovered: Bool = false
        ) -> some View {
            modifier(PresentsErrors(bus: bus, rules: rules, texts: texts, isCovered: isCovered))
        }
    }

    /// Shows the errors of the environment's presenter or, without one, of a new presenter.
    private struct PresentsErrors: ViewModifier {
        let bus: ErrorBus
        let rules: ErrorMap<PresentationStyle>
        let texts: ErrorMap<PresentedText?>
        let isCovered: Bool
        @Environment(ErrorPresenter.self) private var outer: ErrorPresenter?
        @State private var own = OwnPresenter()
        /// The error of the open alert.
        @State private var shown: PresentedError?

        func body(content: Content) -> some View {
            let presenter = outer ?? own.presenter(of: bus, rules, texts)
            content
                .safeAreaInset(edge: .top) {
                    if !isCovered, let banner = presenter.banner {
                        Button(banner.message) { presenter.dismiss(banner) }
                    }
                }
                // Show the alert one turn after the presenter: by then the previous alert has closed.
                .task(id: isCovered ? nil : presenter.alert?.id) { shown = isCovered ? nil : presenter.alert }
                .alert(
                    Text(shown?.title ?? shown?.message ?? ""), isPresented: isShown(by: presenter), presenting: shown
                ) { error in
                    if error.canRetry { Button("Try again") { Task { await presenter.retry(error) } } }
                    ForEach(Array(error.recoveryOptions.enumerated()), id: \.offset) { index, option in
                        Button(option) { Task { await presenter.recover(error, option: index) } }
                    }
                    Button("OK", role: .cancel) {}
                } message: { error in
                    if error.title != nil { Text(error.message) }
                    if let suggestion = error.recoverySuggestion { Text(suggestion) }
                }
                .environment(presenter)
        }

        /// Returns a binding for whether the alert is open.
        ///
        /// Setting it to false dismisses the alert's error.
        private func isShown(by presenter: ErrorPresenter) -> Binding<Bool> {
            Binding { @MainActor in
                shown != nil
            } set: { @MainActor [shown] isShown in
                if isShown { return }
                self.shown = nil
                // Dismiss by identity: if SwiftUI writes late, the next alert might already be shown.
                if presenter.alert?.id == shown?.id { presenter.alert = nil }
            }
        }
    }

    /// A presenter that observes a bus, created when a view first needs it.
    @MainActor
    private final class OwnPresenter {
        private var presenter: ErrorPresenter?
        private var bus: ErrorBus?
        private var observation: ErrorObservation?

        func presenter(
            of bus: ErrorBus, _ rules: ErrorMap<PresentationStyle>, _ texts: ErrorMap<PresentedText?>
        ) -> ErrorPresenter {
            let presenter = presenter ?? ErrorPresenter(rules: rules, texts: texts)
            self.presenter = presenter
            if self.bus !== bus {
                self.bus = bus
                observation = presenter.observe(bus)
            }
            return presenter
        }
    }
#endif
