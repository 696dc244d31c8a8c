#if canImport(SwiftUI)
    public import ErrorRouting
    import Observation
    public import SwiftUI

    extension View {
        /// Shows a bus's failures, and those of the user's own actions in this view, as alerts and banners.
        ///
        /// ```swift
        /// WindowGroup { ShopScreen().presentsErrors(from: bus, rules: .default.on(Offline.self, .banner)) }
        /// ```
        ///
        /// The modified view finds an ``ErrorPresenter`` in its environment. It calls `run` and shows inline errors
        /// with it. The presenter observes the bus while the view exists. Put the modifier once around a window's
        /// content.
        ///
        /// A view can't show an alert while a sheet covers it, so a sheet's content has ``presentsErrors()`` too:
        ///
        /// ```swift
        /// ShopScreen()
        ///     .sheet(item: $cart) { PaymentSheet(cart: $0).presentsErrors() }
        ///     .presentsErrors(from: bus)
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
        /// - Returns: The view with its errors.
        public func presentsErrors(
            from bus: ErrorBus,
            rules: ErrorMap<PresentationStyle> = .default,
            texts: ErrorMap<PresentedText?> = ErrorMap(default: nil)
        ) -> some View {
            presentsErrors(from: bus, rules: rules, texts: texts) { error, dismiss, _ in
                Button(error.message) { dismiss() }
            }
        }

        /// Shows a bus's failures as alerts and as banners of your own; see ``presentsErrors(from:rules:texts:)``.
        ///
        /// - Parameters:
        ///   - bus: The bus.
        ///   - rules: How errors are shown. By default, only errors that the user waits for are shown, as alerts.
        ///   - texts: The texts to show instead of the errors' own texts.
        ///   - banner: Creates the view of a banner. `dismiss` closes it. `retry` runs the failed operation again; it
        ///     is nil if that isn't possible.
        /// - Returns: The view with its errors.
        public func presentsErrors(
            from bus: ErrorBus,
            rules: ErrorMap<PresentationStyle> = .default,
            texts: ErrorMap<PresentedText?> = ErrorMap(default: nil),
            @ViewBuilder banner:
                @escaping (
                    PresentedError, _ dismiss: @escaping () -> Void, _ retry: (() -> Void)?
                ) -> some View
        ) -> some View {
            modifier(PresentsBusErrors(bus: bus, rules: rules, texts: texts) { AnyView(banner($0, $1, $2)) })
        }

        /// Shows the errors of the surrounding ``presentsErrors(from:rules:texts:)`` here, inside a sheet, a cover, or
        /// a popover, while that is on screen.
        ///
        /// Without such a modifier around the sheet it shows nothing, and posts an error that says so.
        ///
        /// - Returns: The view with the errors.
        public func presentsErrors() -> some View { modifier(PresentsSurroundingErrors()) }
    }

    /// A banner's view, for an error, its dismissal, and its retry.
    private typealias BannerView = (PresentedError, @escaping () -> Void, (() -> Void)?) -> AnyView

    /// Shows the errors of a new presenter.
    private struct PresentsBusErrors: ViewModifier {
        let bus: ErrorBus
        let rules: ErrorMap<PresentationStyle>
        let texts: ErrorMap<PresentedText?>
        let banner: BannerView
        @State private var own = OwnPresenter()

        func body(content: Content) -> some View {
            let presenter = own.presenter(of: bus, rules, texts)
            let stage = own.stage(banner)
            content
                .modifier(ShowsErrors(presenter: presenter, banner: banner, isInFront: stage.covers.isEmpty))
                .environment(presenter)
                .environment(stage)
        }
    }

    /// Shows the errors of the environment's presenter while no other such view is in front.
    private struct PresentsSurroundingErrors: ViewModifier {
        @Environment(ErrorPresenter.self) private var presenter: ErrorPresenter?
        @Environment(Stage.self) private var stage: Stage?
        @State private var cover = Cover()

        func body(content: Content) -> some View {
            if let presenter, let stage {
                content
                    .modifier(
                        ShowsErrors(
                            presenter: presenter, banner: stage.banner, isInFront: stage.covers.last == cover.id)
                    )
                    .onAppear { stage.covers.append(cover.id) }
                    .onDisappear { stage.covers.removeAll { $0 == cover.id } }
            } else {
                content.onAppear { postError(NothingToPresent()) }
            }
        }
    }

    /// Shows a presenter's errors while its view is in front.
    private struct ShowsErrors: ViewModifier {
        let presenter: ErrorPresenter
        let banner: BannerView
        let isInFront: Bool
        /// The error of the open alert.
        @State private var shown: PresentedError?

        func body(content: Content) -> some View {
            content
                .safeAreaInset(edge: .top) {
                    if isInFront, let error = presenter.banner { bannerView(of: error) }
                }
                // Show the alert one turn after the presenter: by then the previous alert has closed.
                .task(id: isInFront ? presenter.alert?.id : nil) { shown = isInFront ? presenter.alert : nil }
                .alert(
                    Text(shown?.title ?? shown?.message ?? ""), isPresented: isShown, presenting: shown
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
        }

        private func bannerView(of error: PresentedError) -> AnyView {
            let retry = { _ = Task { await presenter.retry(error) } }
            return banner(error, { presenter.dismiss(error) }, error.canRetry ? retry : nil)
        }

        /// A binding for whether the alert is open; setting it to false dismisses the alert's error.
        private var isShown: Binding<Bool> {
            let alert = presenter.binding(for: .alert)
            return Binding { @MainActor in
                shown != nil
            } set: { @MainActor [shown] isShown in
                if isShown { return }
                self.shown = nil
                // Dismiss by identity: if SwiftUI writes late, the next alert might already be shown.
                if presenter.alert?.id == shown?.id { alert.wrappedValue = nil }
            }
        }
    }

    /// Identifies a view in front of others while it is on screen.
    private final class Cover {
        var id: ObjectIdentifier { ObjectIdentifier(self) }
    }

    /// What the root shares with the views in front of it.
    @MainActor
    @Observable
    private final class Stage {
        @ObservationIgnored var banner: BannerView
        /// The views in front of the root, such as sheets; the last one shows the errors.
        var covers: [ObjectIdentifier] = []

        init(_ banner: @escaping BannerView) { self.banner = banner }
    }

    /// The error of `presentsErrors()` without a presenter around it.
    private struct NothingToPresent: Error, CustomStringConvertible {
        var description: String {
            "presentsErrors() shows nothing: put presentsErrors(from:) around the view that presents this one"
        }
    }

    /// A presenter that observes a bus, created when a view first needs it.
    @MainActor
    private final class OwnPresenter {
        private var presenter: ErrorPresenter?
        private var bus: ErrorBus?
        private var observation: ErrorObservation?
        private var stage: Stage?

        func stage(_ banner: @escaping BannerView) -> Stage {
            let stage = stage ?? Stage(banner)
            stage.banner = banner
            self.stage = stage
            return stage
        }

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
