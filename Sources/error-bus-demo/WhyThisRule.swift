import ErrorRouting

/// Explains which rule would run for an error, first with the general rule registered after the specific rule.
enum WhyThisRule {
    static let shadowed = ErrorHandler()
        .on(PaymentError.providerDown) { _ in .stop }
        .on(PaymentError.self) { _ in .stop }

    static let putRight = ErrorHandler()
        .on(PaymentError.self) { _ in .stop }
        .on(PaymentError.providerDown) { _ in .stop }

    static func run(on screen: Screen) {
        screen.line("\(shadowed.explain(PaymentError.providerDown))")
        screen.line("Put right, by registering the specific rule last:")
        screen.line("\(putRight.explain(PaymentError.providerDown))")
    }
}
