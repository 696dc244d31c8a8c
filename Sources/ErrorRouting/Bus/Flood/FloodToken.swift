/// What a flood limit needs to know of an error: its kind, and when it was posted, in nanoseconds by the bus's clock.
struct FloodToken: Sendable {
    let kind: FloodKind
    let moment: Int64
}
