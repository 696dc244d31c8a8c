/// The errors with the same fingerprint and role.
struct IncidentKind: Sendable {
    let fingerprint: String
    /// The fingerprint without the parts that most kinds share, for a legend.
    let short: String
    let role: Int
    /// The kind's first line, as JSON for the page.
    let example: [UInt8]
    /// The kind's errors in each deployment; at least one part.
    var parts: [IncidentPart] = []

    /// The number of lines, and the number of errors that they represent.
    var reports: Int { parts.reduce(0) { $0 + $1.reports } }
    var count: Int { parts.reduce(0) { $0 + $1.count } }
    /// The time of the first error; nil if no line contained a time.
    var first: Int? { parts.compactMap(\.first).min() }
}

/// The errors of a kind in one deployment: a release of a service.
struct IncidentPart: Sendable {
    let deployment: Int
    var reports = 0
    var count = 0
    /// The times of the first and last error, in milliseconds since 1970; nil if no line contained a time.
    private(set) var first: Int?
    private(set) var last: Int?
    var hosts = NameCounts()
    var scopes = NameCounts()
    var outcomes = NameCounts()
    /// The locations where errors were thrown, if known.
    var origins = NameCounts()
    var buckets = Buckets()

    init(deployment: Int) { self.deployment = deployment }

    mutating func saw(_ time: Int) {
        first = min(first ?? time, time)
        last = max(last ?? time, time)
    }
}
