/// How likely a match is, given some facts about an error such as its dynamic type; in increasing order.
package enum Likelihood: Comparable {
    case never, maybe, always
    /// The matcher matches and its output is the error itself, so the matcher needn't be called.
    case certain
}
