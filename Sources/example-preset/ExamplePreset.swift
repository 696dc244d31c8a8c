import ErrorRouting
import Foundation

enum PaymentError: Error, Equatable {
    case declined(code: Int)
    case providerDown
}

extension ErrorHandler {
    /// The application's preset, composed of parts; the part that is overlaid last is tried first.
    static let `default`: ErrorHandler = .standardError.overlaid(with: network).overlaid(with: payments)

    static let network = ErrorHandler()
        .on(URLError.self) { _ in .stop }
        .ignore(domain: NSURLErrorDomain, code: NSURLErrorCancelled)

    static let payments = ErrorHandler()
        .on(PaymentError.self) { _ in .stop }
        .on(PaymentError.providerDown) { _ in .next }
}

/// Checks which rule of a preset handles which error, without running actions.
@main
struct ExamplePreset {
    static let expected: [(error: any Error, disposition: HandleOutcome.Disposition, rule: String?)] = [
        (PaymentError.providerDown, .handled, "value(PaymentError.providerDown)"),
        (PaymentError.declined(code: 51), .handled, "type(PaymentError)"),
        (URLError(.timedOut), .handled, "type(URLError)"),
        (URLError(.cancelled), .ignored, "nsError(domain: NSURLErrorDomain, code: -999)"),
        (CancellationError(), .ignored, "cancellation"),
        (CocoaError(.fileNoSuchFile), .unmatched, nil),
    ]

    static func main() {
        var faults = 0
        for (error, disposition, rule) in expected {
            let explanation = ErrorHandler.default.explain(error)
            if explanation.disposition == disposition, explanation.rule?.matcher == rule { continue }
            faults += 1
            print("expected \(disposition) by \(rule ?? "no rule"), but:\n\(explanation)")
        }
        print("\(expected.count - faults) of \(expected.count) errors go where they should")
        exit(faults == 0 ? 0 : 1)
    }
}
