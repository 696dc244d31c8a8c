#if canImport(SwiftUI)
    import Accessibility
    public import ErrorRouting
    import Foundation
    public import SwiftUI

    extension View {
        /// Shows the failures of a bus and of the user's own actions in this view as alerts and banners.
        ///
        /// ```swift
        /// WindowGroup { ShopScreen().presentsErrors(from: bus, rules: .default.on(Offline.self, .banner)) }
        /// ```
        ///
        /// Apply the modifier once to a window's content. The modified view finds the window's ``ErrorPresenter`` in
        /// its environment: ``AsyncButton`` runs operations with it, and the view can show inline errors with it.
        ///
        /// A view can't show an alert while a sheet covers it, so apply ``presentsErrors()`` to a sheet's content:
        ///
        /// ```swift
        /// ShopScreen()
        ///     .sheet(item: $cart) { PaymentSheet(cart: $0).presentsErrors() }
        ///     .presentsErrors(from: bus)
        /// ```
        ///
        /// Of several windows with the same bus, the window whose scene became active last shows the bus's failures.
        /// Inside another `presentsErrors`, the modifier adds its bus to the surrounding presenter, so that an error
        /// isn't shown twice. The surrounding modifier's rules, texts, and banner are in effect.
        ///
        /// An alert has the button "OK", the button "Try again" if the operation can be retried, and a button for each
        /// option of a `RecoverableError`. A banner shows its texts at the top edge, with the buttons "Try again" and
        /// "Dismiss". It disappears when the user dismisses it or swipes it up, or when its time runs out
        /// (``ErrorPresenter/bannerDuration``). The button titles are looked up in the app's string tables.
        ///
        /// The modifier hasn't been run on an Apple platform; it is only type-checked against hand-written declarations
        /// of SwiftUI.
        ///
        /// - Parameters:
        ///   - bus: The bus to observe.
        ///   - rules: How errors are shown. By default, only failures of the user's own actions are shown, as alerts.
        ///   - texts: The texts to show instead of the errors' own texts.
        /// - Returns: A view that shows the errors.
        public func presentsErrors(
            from bus: ErrorBus, rules: ErrorMap<PresentationStyle> = .default,
            texts: ErrorMap<PresentedText?> = ErrorMap(default: nil)
        ) -> some View {
            presentsErrors(from: bus, rules: rules, texts: texts) { Banner(error: $0, dismiss: $1, retry: $2) }
        }

        /// Shows a bus's failures as alerts and as custom banners; see ``presentsErrors(from:rules:texts:)``.
        ///
        /// - Parameters:
        ///   - bus: The bus to observe.
        ///   - rules: How errors are shown. By default, only failures of the user's own actions are shown, as alerts.
        ///   - texts: The texts to show instead of the errors' own texts.
        ///   - banner: Creates a banner's view. `dismiss` closes the banner. `retry` runs the failed operation again;
        ///     it is nil if the operation can't be retried.
        /// - Returns: A view that shows the errors.
        public func presentsErrors(
            from bus: ErrorBus, rules: ErrorMap<PresentationStyle> = .default,
            texts: ErrorMap<PresentedText?> = ErrorMap(default: nil),
            @ViewBuilder banner:
                @escaping (
                    PresentedError, _ dismiss: @escaping () -> Void, _ retry: (() -> Void)?
                ) -> some View
        ) -> some View {
            modifier(PresentsErrors(ErrorPresenter(rules: rules, texts: texts), bus) { AnyView(banner($0, $1, $2)) })
        }

        /// Shows the surrounding modifier's errors in a sheet, a cover, or a popover while it is on screen.
        ///
        /// Attach the sheet inside the surrounding ``presentsErrors(from:rules:texts:)``, because a sheet inherits the
        /// environment of its position in the view tree. If there is no surrounding modifier, the content shows only
        /// the failures of its own actions and posts an error that reports the mistake.
        ///
        /// - Returns: A view that shows the errors.
        public func presentsErrors() -> some View { modifier(PresentsErrors(ErrorPresenter())) }
    }

    /// Creates a banner's view for an error, its dismissal, and its retry.
    private typealias BannerView = (PresentedError, @escaping () -> Void, (() -> Void)?) -> AnyView

    /// The environment key for the banner view that all places in a window use.
    private struct BannerKey: EnvironmentKey {
        static var defaultValue: BannerView? { nil }
    }

    extension EnvironmentValues {
        fileprivate var errorBanner: BannerView? {
            get { self[BannerKey.self] }
            set { self[BannerKey.self] = newValue }
        }
    }

    /// Shows the errors of the surrounding presenter; if there is none, shows the errors of its own presenter.
    private struct PresentsErrors: ViewModifier {
        private let bus: ErrorBus?
        private let ownBanner: BannerView?
        /// SwiftUI retains the first presenter and releases the presenters that later updates create.
        @State private var own: ErrorPresenter
        @State private var place = ErrorPlace()
        @Environment(ErrorPresenter.self) private var surrounding: ErrorPresenter?
        @Environment(\.errorBanner) private var surroundingBanner
        @Environment(\.scenePhase) private var phase

        init(_ presenter: ErrorPresenter, _ bus: ErrorBus? = nil, banner: BannerView? = nil) {
            (_own, self.bus, ownBanner) = (State(initialValue: presenter), bus, banner)
        }

        func body(content: Content) -> some View {
            let (presenter, banner) = (surrounding ?? own, surroundingBanner ?? ownBanner)
            content
                .safeAreaInset(edge: .top) {
                    if let banner, let error = place.banner {
                        let retry = { _ = Task { await presenter.retry(error) } }
                        banner(error, { presenter.dismiss(error) }, error.canRetry ? retry : nil)
                            .id(error.id)
                            .transition(.move(edge: .top).combined(with: .opacity))
                    }
                }
                .animation(.default, value: place.banner?.id)
                .alert(
                    Text(place.alert?.title ?? place.alert?.message ?? ""), isPresented: isShown,
                    presenting: place.alert
                ) { error in
                    if error.canRetry { Button("Try again") { answer(error) { await $0.retry(error) } } }
                    ForEach(Array(error.recoveryOptions.enumerated()), id: \.offset) { index, option in
                        Button(option) { answer(error) { await $0.recover(error, option: index) } }
                    }
                    Button("OK", role: .cancel) { presenter.dismiss(error) }
                } message: { error in
                    if error.title != nil { Text(error.message) }
                    if let suggestion = error.recoverySuggestion { Text(suggestion) }
                }
                // Confirm in a task, which runs after the view was updated: by then, an alert that had to close is
                // closed.
                .task(id: place.turn) { if place.alert == nil { place.alertDidClose() } }
                .onAppear {
                    if bus == nil, surrounding == nil { postError(NothingToPresent()) }
                    place.appear(in: presenter)
                }
                .onDisappear { place.disappear() }
                .onChange(of: bus.map { ObjectIdentifier($0) }, initial: true) { if let bus { presenter.share(bus) } }
                // Ignore the initial phase: in an app with UIKit's life cycle, it might never become `active`.
                .onChange(of: phase) { presenter.isActive = phase == .active }
                .environment(presenter)
                .environment(\.errorBanner, banner)
        }

        /// Closes an alert and runs its button's action, while the next alert can already be shown.
        private func answer(_ error: PresentedError, _ action: @escaping @MainActor (ErrorPresenter) async -> Void) {
            let presenter = surrounding ?? own
            presenter.close(error)
            Task { await action(presenter) }
        }

        /// A binding that is true while the alert is open.
        ///
        /// SwiftUI sets it to false after a button's action. By then, the error isn't shown any more.
        private var isShown: Binding<Bool> {
            Binding { @MainActor [place] in
                place.alert != nil
            } set: { @MainActor [place] isShown in
                if !isShown, place.alert != nil { place.alertDidClose() }
            }
        }
    }

    /// The library's own banner view.
    private struct Banner: View {
        let error: PresentedError
        let dismiss: () -> Void
        let retry: (() -> Void)?
        @Environment(\.dynamicTypeSize) private var size

        var body: some View {
            // With large text, place the buttons below the texts.
            let layout =
                size.isAccessibilitySize ? AnyLayout(VStackLayout(alignment: .leading)) : AnyLayout(HStackLayout())
            layout {
                VStack(alignment: .leading) {
                    if let title = error.title { Text(title).font(.headline) }
                    Text(error.message)
                    if let suggestion = error.recoverySuggestion { Text(suggestion).font(.footnote) }
                }
                .frame(maxWidth: .infinity, alignment: .leading)
                if let retry { Button("Try again") { retry() } }
                Button("Dismiss", systemImage: "xmark") { dismiss() }.labelStyle(.iconOnly)
            }
            .padding()
            .background(.regularMaterial, in: .rect(cornerRadius: 16))
            .padding(.horizontal)
            #if !os(tvOS)
                .gesture(DragGesture(minimumDistance: 20).onEnded { if $0.translation.height < 0 { dismiss() } })
            #endif
            .accessibilityAction(.escape, dismiss)
            .onAppear { AccessibilityNotification.Announcement(error.message).post() }
        }
    }

    /// The error that `presentsErrors()` posts if it isn't inside another `presentsErrors`.
    private struct NothingToPresent: Error, CustomStringConvertible {
        let description =
            "presentsErrors() shows no bus's errors: put presentsErrors(from:) around the view that presents this one"
    }
#endif
