#if canImport(SwiftUI)
    public import ErrorRouting
    public import SwiftUI

    extension View {
        /// Shows the failures that a bus delivers, and those of what a person does in this view, as alerts and banners.
        ///
        /// ```swift
        /// WindowGroup { ShopScreen().presentsErrors(from: bus, rules: .default.on(Offline.self, .banner)) }
        /// ```
        ///
        /// The view below gets an ``ErrorPresenter`` in its environment, for `run`, and for errors that it shows
        /// inline. A window's outermost modifier makes the presenter, which observes the bus as long as the view is
        /// there.
        ///
        /// A view that a sheet covers cannot show an alert, so the sheet's content needs this modifier too. It uses the
        /// presenter from its environment, and ignores `bus`, `rules` and `texts`:
        ///
        /// ```swift
        /// ShopScreen()
        ///     .sheet(item: $cart) { PaymentSheet(cart: $0).presentsErrors(from: bus) }
        ///     .presentsErrors(from: bus, isCovered: cart != nil)
        /// ```
        ///
        /// An alert has the button "OK", "Try again" if the operation can be run again, and a button for each option of
        /// a `RecoverableError`. A banner is a text at the top edge; a tap dismisses it, or it goes by itself: see
        /// ``ErrorPresenter/bannerDuration``. Both titles are looked up in the app's tables of strings.
        ///
        /// The modifier was not run on an Apple platform: it is type-checked against declarations of SwiftUI that were
        /// written after Apple's documentation.
        ///
        /// - Parameters:
        ///   - bus: The bus.
        ///   - rules: How errors are shown; by default only what a person waits for, as an alert.
        ///   - texts: The texts to show instead of the errors' own texts.
        ///   - isCovered: Whether a sheet covers this view, and shows the errors instead.
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

    /// Shows the errors of the presenter in the environment, or of one that it makes.
    private struct PresentsErrors: ViewModifier {
        let bus: ErrorBus
        let rules: ErrorMap<PresentationStyle>
        let texts: ErrorMap<PresentedText?>
        let isCovered: Bool
        @Environment(ErrorPresenter.self) private var outer: ErrorPresenter?
        @State private var own = OwnPresenter()
        /// The error of the alert that is open.
        @State private var shown: PresentedError?

        func body(content: Content) -> some View {
            let presenter = outer ?? own.presenter(of: bus, rules, texts)
            content
                .safeAreaInset(edge: .top) {
                    if !isCovered, let banner = presenter.banner {
                        Button(banner.message) { presenter.dismiss(banner) }
                    }
                }
                // A turn later than the presenter: by then the alert before this one has closed.
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

        /// Whether the alert is open; set to false, it dismisses the error of that alert.
        private func isShown(by presenter: ErrorPresenter) -> Binding<Bool> {
            Binding { @MainActor in
                shown != nil
            } set: { @MainActor [shown] isShown in
                if isShown { return }
                self.shown = nil
                // By its identity: if SwiftUI writes this late, the next alert may be due already.
                if presenter.alert?.id == shown?.id { presenter.alert = nil }
            }
        }
    }

    /// A presenter that observes a bus, made when a view first needs it.
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
