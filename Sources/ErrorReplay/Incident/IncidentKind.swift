/// The errors of one fingerprint and role.
struct IncidentKind: Sendable {
    let fingerprint: String
    let role: Int
    /// The first line of the kind, as JSON for the page.
    let example: [UInt8]

    /// The number of lines, and of the errors that they represent.
    var reports = 0
    var count = 0
    /// The times of the first and the last error, in milliseconds since 1970; nil if no line had a time.
    var first: Int?
    var last: Int?
    var hosts = NameCounts()
    var scopes = NameCounts()
    var outcomes = NameCounts()
    /// The places where errors of the kind were thrown, as far as they are known.
    var origins = NameCounts()
    var buckets = Buckets()
}

/// Counts the occurrences of up to a dozen names; later names are counted together.
struct NameCounts: Sendable {
    private static let limit = 12

    private(set) var entries: [(name: Int, count: Int)] = []
    private(set) var others = 0

    mutating func add(_ count: Int, _ name: Int) {
        for index in entries.indices where entries[index].name == name {
            entries[index].count += count
            return
        }
        if entries.count < Self.limit { entries.append((name, count)) } else { others += count }
    }
}

/// The names of hosts, scopes, and outcomes, each stored once.
///
/// Their number and size are bounded.
struct NameTable: Sendable {
    private static let (limit, size, length) = (20_000, 2 << 20, 200)

    private(set) var names = ["…"]
    private var numbers: [String: Int] = [:]
    private var bytes = 0

    /// Returns the number of a name, and stores a new name in a form that is safe to show; 0 if there are too many.
    mutating func number(of name: String) -> Int {
        let name = PageText.shown(name, Self.length)
        if let number = numbers[name] { return number }
        guard names.count < Self.limit, bytes < Self.size else { return 0 }
        bytes += name.utf8.count
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }
}
