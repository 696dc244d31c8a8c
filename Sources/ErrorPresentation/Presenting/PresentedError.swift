public import ErrorRouting

/// An error as a screen shows it.
///
/// A value, made of texts alone: it does not hold the error.
public struct PresentedError: Identifiable, Sendable, Hashable {
    /// Tells it from all others of its presenter; a repeat that is folded into it does not change it.
    public let id: UInt64
    /// How to show it.
    public let style: PresentationStyle
    /// What was tried, or what a rule says; nil where nobody gave it a title.
    public let title: String?
    /// What happened, for a person to read.
    public let message: String
    /// What can be done about it.
    public let recoverySuggestion: String?
    /// Why it happened.
    public let failureReason: String?
    /// What a `RecoverableError` offers to choose from.
    public let recoveryOptions: [String]
    /// How many errors it stands for: itself, its repeats, and those that a flood limit suppressed.
    public internal(set) var count: Int
    /// Whether what failed can be run again.
    public internal(set) var canRetry: Bool

    /// Makes a presented error, for previews and tests.
    ///
    /// - Parameters:
    ///   - id: What tells it from others.
    ///   - style: How to show it.
    ///   - title: What was tried.
    ///   - message: What happened.
    ///   - recoverySuggestion: What can be done about it.
    ///   - failureReason: Why it happened.
    ///   - recoveryOptions: What there is to choose from.
    ///   - count: How many errors it stands for.
    ///   - canRetry: Whether what failed can be run again.
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
}

/// What a rule says to the person at the screen, instead of what the error says of itself.
///
/// ```swift
/// let texts = ErrorMap<PresentedText?>(default: nil)
///     .on(CardDeclined.self, PresentedText(title: "Payment", message: "Your bank declined the card."))
/// ```
public struct PresentedText: Sendable, Hashable {
    /// What stands above the message; nil for the error's own.
    public var title: String?
    /// What happened; nil for the error's own.
    public var message: String?
    /// What can be done about it; nil for the error's own.
    public var recoverySuggestion: String?

    /// Makes a text; what is left out is the error's own.
    ///
    /// - Parameters:
    ///   - title: What stands above the message. A title that is given to `run` goes before it.
    ///   - message: What happened.
    ///   - recoverySuggestion: What can be done about it.
    public init(title: String? = nil, message: String? = nil, recoverySuggestion: String? = nil) {
        self.title = title
        self.message = message
        self.recoverySuggestion = recoverySuggestion
    }
}

/// How an error is shown.
///
/// The presenter hands it on with the error; what a banner looks like is the screen's own matter.
public enum PresentationStyle: Sendable, Hashable {
    /// Not at all.
    case never
    /// It interrupts, and has to be dismissed.
    case alert
    /// It is shown at the edge, and interrupts nothing.
    case banner
    /// It is shown where it went wrong.
    case inline
}

extension ErrorMap where Value == PresentationStyle {
    /// An alert for every error but those that tell operators something: `ActionFailure` and `ErrorsDropped`.
    ///
    /// To overlay with rules of one's own, `.default.overlaid(with: …)`, or to add to:
    /// `.default.on(Offline.self, .banner)`. Cancellations and ignored errors need no rule: a presenter never shows
    /// them.
    public static var `default`: Self {
        ErrorMap(default: .alert)
            .on(ActionFailure.self, .never)
            .on(ErrorsDropped.self, .never)
    }
}
