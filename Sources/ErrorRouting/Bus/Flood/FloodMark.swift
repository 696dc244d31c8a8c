/// What a flood limit goes by: of what kind an error is, and when it was posted.
struct FloodMark: Sendable {
    let fingerprint: ErrorFingerprint
    let hash: Int
    /// In nanoseconds, by the bus's clock.
    let moment: Int64

    @inline(__always)
    init(_ fingerprint: ErrorFingerprint, moment: Int64) {
        self.fingerprint = fingerprint
        hash = fingerprint.quickHash
        self.moment = moment
    }
}
