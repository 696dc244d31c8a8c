public import ErrorRouting

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
