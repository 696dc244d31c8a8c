/// The likelihood of a match by some facts about an error, such as its dynamic type, in increasing order.
enum Likelihood: Comparable {
    case never, maybe, always
    /// The matcher matches and its output is the error itself, so it needn't be called.
    case certain
}
