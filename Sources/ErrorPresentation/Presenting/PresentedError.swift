public import ErrorRouting
public import Foundation

/// An error as a view shows it: a value made of texts, in place of the error itself.
///
/// It is a `LocalizedError`, so that SwiftUI's `alert(isPresented:error:)` takes it. A binding for that dismisses the
/// error that it was made for: SwiftUI may write it when the next error is shown already. A value that a presenter has
/// published also retains what ``ErrorPresenter/retry(_:)`` and ``ErrorPresenter/recover(_:option:)`` need; two values
/// are equal if all that a view shows is equal.
public struct PresentedError: LocalizedError, Identifiable, Sendable, Hashable {
    /// The error's number, unique within its presenter; the same for repeats that are folded into it.
    public let id: UInt64
    /// How to show the error.
    public let style: PresentationStyle
    /// The name of the action that failed, or a title from a rule or from the error; nil if there is none.
    public let title: String?
    /// What happened, in words for a person.
    public let message: String
    /// What the person can do about it.
    public let recoverySuggestion: String?
    /// Why it happened.
    public let failureReason: String?
    /// The options that a `RecoverableError` offers; ``ErrorPresenter/recover(_:option:)`` carries one out.
    public let recoveryOptions: [String]
    /// How many errors it stands for: itself, its repeats, and errors that a flood limit suppressed.
    public internal(set) var count: Int
    /// Whether the failed operation can be run again.
    public let canRetry: Bool
    /// What can be done about the error; nil in a value that no presenter has published.
    var recovery: Recovery?

    /// Makes a presented error, for previews and tests.
    ///
    /// - Parameters:
    ///   - id: The error's number.
    ///   - style: How to show the error.
    ///   - title: The name of the action that failed.
    ///   - message: What happened.
    ///   - recoverySuggestion: What the person can do about it.
    ///   - failureReason: Why it happened.
    ///   - recoveryOptions: The options to choose from.
    ///   - count: How many errors it stands for.
    ///   - canRetry: Whether the failed operation can be run again.
    public init(
        id: UInt64,
        style: PresentationStyle = .alert,
        title: String? = nil,
        message: String,
        recoverySuggestion: String? = nil,
        failureReason: String? = nil,
        recoveryOptions: [String] = [],
        count: Int = 1,
        canRetry: Bool = false
    ) {
        self.id = id
        self.style = style
        self.title = title
        self.message = message
        self.recoverySuggestion = recoverySuggestion
        self.failureReason = failureReason
        self.recoveryOptions = recoveryOptions
        self.count = count
        self.canRetry = canRetry
    }

    /// The ``message``.
    public var errorDescription: String? { message }

    /// Returns whether two values show the same.
    ///
    /// - Parameters:
    ///   - first: A value.
    ///   - second: Another one.
    /// - Returns: Whether all that a view shows is equal.
    public static func == (first: Self, second: Self) -> Bool {
        first.id == second.id && first.count == second.count && first.canRetry == second.canRetry
            && first.style == second.style && first.title == second.title && first.message == second.message
            && first.recoverySuggestion == second.recoverySuggestion && first.failureReason == second.failureReason
            && first.recoveryOptions == second.recoveryOptions
    }

    /// Hashes the error's number and count.
    ///
    /// - Parameter hasher: Gets them.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(count)
    }
}

/// The texts that a rule gives to an error, instead of the error's own texts.
///
/// ```swift
/// let texts = ErrorMap<PresentedText?>(default: nil)
///     .on(CardDeclined.self, PresentedText(title: "Payment", message: "Your bank declined the card."))
/// ```
public struct PresentedText: Sendable, Hashable {
    /// The title above the message; nil for the error's own title.
    public var title: String?
    /// What happened; nil for the error's own message.
    public var message: String?
    /// What the person can do about it; nil for the error's own suggestion.
    public var recoverySuggestion: String?

    /// Makes a text; the error's own texts are used for what is nil.
    ///
    /// - Parameters:
    ///   - title: The title above the message. A title that is passed to `run` is used instead of it.
    ///   - message: What happened.
    ///   - recoverySuggestion: What the person can do about it.
    public init(title: String? = nil, message: String? = nil, recoverySuggestion: String? = nil) {
        self.title = title
        self.message = message
        self.recoverySuggestion = recoverySuggestion
    }
}

/// How an error is shown.
///
/// The presenter passes the style on with the error; the view decides what a banner looks like.
public enum PresentationStyle: Sendable, Hashable {
    /// The error is not shown.
    case hidden
    /// The error interrupts the person, who has to dismiss it.
    case alert
    /// The error is shown at the edge of the screen, without interrupting the person.
    case banner
    /// The error is shown beside the element that it concerns.
    case inline
}

extension ErrorMap where Value == PresentationStyle {
    /// Rules that show nothing that nobody asked for: each error is hidden until a rule says otherwise.
    ///
    /// An error that a person waits for, the failure of `run` or one that is passed to `present`, is an alert unless a
    /// rule says otherwise. Add rules with `.default.on(Offline.self, .banner)`, or overlay rules with
    /// `.default.overlaid(with: …)`. Ignored errors, and cancellations in a cancelled task, need no rule: a
    /// presenter never shows them.
    public static var `default`: Self { ErrorMap(default: .hidden) }
}
