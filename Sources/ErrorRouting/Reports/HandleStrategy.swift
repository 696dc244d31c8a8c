/// What an action returns: whether the rules after it are still tried.
public enum HandleStrategy: Sendable {
    /// Go on to the next matching rule.
    case next
    /// No further rule of this kind: the error has been taken care of.
    case stop
}
