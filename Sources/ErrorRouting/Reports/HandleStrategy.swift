/// The value that an action returns: whether the rules after it are still tried.
public enum HandleStrategy: Sendable {
    /// Continue with the next matching rule.
    case next
    /// Try no further rule of this kind.
    case stop
}
