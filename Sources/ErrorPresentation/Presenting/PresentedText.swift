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
