public import ErrorRouting
public import Foundation

/// An error as a view shows it, with texts instead of the error itself.
///
/// It is a `LocalizedError`, so that SwiftUI's `alert(isPresented:error:)` accepts it. The binding for that alert must
/// dismiss the error for which it was created, because SwiftUI might set the binding when the next error is already
/// shown. A value that a presenter published also retains everything that ``ErrorPresenter/retry(_:)`` and
/// ``ErrorPresenter/recover(_:option:)`` need. Two values are equal if a view shows them identically.
public struct PresentedError: LocalizedError, Identifiable, Sendable, Hashable {
    /// The error's ID, which is unique within its presenter.
    ///
    /// Merged repeats share one ID.
    public internal(set) var id: UInt64
    /// How to show the error.
    public let style: PresentationStyle
    /// The name of the action that failed, or a title from a rule or from the error; nil if there is none.
    public let title: String?
    /// What happened, in words for the user.
    public let message: String
    /// What the user can do about it.
    public let recoverySuggestion: String?
    /// Why it happened.
    public let failureReason: String?
    /// The options of a `RecoverableError`.
    ///
    /// ``ErrorPresenter/recover(_:option:)`` performs an option.
    public let recoveryOptions: [String]
    /// How many errors it represents: itself, its repeats, and errors that a flood limit suppressed.
    public internal(set) var count: Int
    /// Whether the failed operation can be run again.
    public let canRetry: Bool
    /// The error's recovery; nil in a value that no presenter published.
    @Uncompared var recovery: Recovery?

    /// Creates a presented error, for previews and tests.
    ///
    /// - Parameters:
    ///   - id: An ID that is unique among the errors in a view.
    ///   - style: How to show the error.
    ///   - title: The name of the action that failed.
    ///   - message: What happened.
    ///   - recoverySuggestion: What the user can do about it.
    ///   - failureReason: Why it happened.
    ///   - recoveryOptions: The options to choose from.
    ///   - count: How many errors it represents.
    ///   - canRetry: Whether the failed operation can be run again.
    public init(
        id: UInt64, style: PresentationStyle = .alert, title: String? = nil, message: String,
        recoverySuggestion: String? = nil, failureReason: String? = nil, recoveryOptions: [String] = [],
        count: Int = 1, canRetry: Bool = false
    ) {
        (self.id, self.style, self.count, self.canRetry) = (id, style, count, canRetry)
        (self.title, self.message, self.failureReason) = (title, message, failureReason)
        (self.recoverySuggestion, self.recoveryOptions) = (recoverySuggestion, recoveryOptions)
    }

    /// The ``message``.
    public var errorDescription: String? { message }

    /// A property that views don't show, so equality ignores it.
    @propertyWrapper
    struct Uncompared: Sendable, Hashable {
        var wrappedValue: Recovery?

        static func == (first: Self, second: Self) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }
}

/// The texts that a rule uses instead of an error's own texts.
///
/// ```swift
/// let texts = ErrorMap<PresentedText?>(default: nil)
///     .on(CardDeclined.self, PresentedText(title: "Payment", message: "Your bank declined the card."))
/// ```
public struct PresentedText: Sendable, Hashable {
    /// The title above the message; nil for the error's own title.
    public let title: String?
    /// What happened; nil for the error's own message.
    public let message: String?
    /// What the user can do about it; nil for the error's own suggestion.
    public let recoverySuggestion: String?

    /// Creates replacements for an error's own texts.
    ///
    /// Parts that are nil come from the error's own texts.
    ///
    /// - Parameters:
    ///   - title: The title above the message. A title that is passed to `run` overrides it.
    ///   - message: What happened.
    ///   - recoverySuggestion: What the user can do about it.
    public init(title: String? = nil, message: String? = nil, recoverySuggestion: String? = nil) {
        self.title = title
        self.message = message
        self.recoverySuggestion = recoverySuggestion
    }
}

/// How an error is shown.
///
/// The presenter passes the style with the error. The view decides what a banner looks like.
public enum PresentationStyle: Sendable, Hashable {
    /// The error isn't shown.
    case hidden
    /// The error interrupts the user, who must dismiss it.
    case alert
    /// The error is shown at the edge of the screen, without interrupting the user.
    case banner
    /// The error is shown next to the element that it concerns.
    case inline
}

extension ErrorMap where Value == PresentationStyle {
    /// Rules that hide every error for which you don't add a rule.
    ///
    /// There is one exception: the failure of `run`, or an error passed to `present`, is shown as an alert unless a
    /// rule decides otherwise. Add rules with `.default.on(Offline.self, .banner)`, or overlay rules with
    /// `.default.overlaid(with: …)`. Ignored errors, and cancellations in a cancelled task, don't need a rule, because
    /// a presenter never shows them.
    public static var `default`: Self { ErrorMap(default: .hidden) }
}
