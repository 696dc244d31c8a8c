/// A flood limit's input for an error: its kind and the time of its post, in nanoseconds by the bus's clock.
struct FloodToken: Sendable {
    let kind: FloodKind
    let moment: Int64
}
