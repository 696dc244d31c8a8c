/// Selects the records that a replay counts.
struct RecordFilter: Sendable, Equatable {
    /// The earliest time of a record to count; a prefix of a time, such as `2026-05-31T16`, is valid too.
    var since: String?
    /// The time before which records are counted.
    var until: String?
    var hosts: Set<String> = []
    var services: Set<String> = []
    var releases: Set<String> = []
    /// The full names of types, or their names without the module.
    var types: Set<String> = []

    var isEmpty: Bool { self == RecordFilter() }

    func admits(_ record: ReplayedRecord) -> Bool {
        // Compare the strings: UTC times in the same format are in the same order as their strings.
        if let since { guard let time = record.time, time >= since else { return false } }
        if let until { guard let time = record.time, time < until else { return false } }
        if !hosts.isEmpty { guard let host = record.host, hosts.contains(host) else { return false } }
        if !services.isEmpty { guard let service = record.service, services.contains(service) else { return false } }
        if !releases.isEmpty { guard let release = record.release, releases.contains(release) else { return false } }
        if types.isEmpty || types.contains(record.type) { return true }
        return record.type.firstIndex(of: ".").map { types.contains(String(record.type[$0...].dropFirst())) } ?? false
    }

    /// Returns a time in the form used for comparisons; nil if the string isn't a time or the beginning of a time.
    static func time(_ text: String) -> String? {
        let form = "0000-00-00T00:00:00.000000"
        let time = text.hasSuffix("Z") ? text.dropLast() : text[...]
        let isTime = zip(time, form).allSatisfy { $1 == "0" ? $0.isASCII && $0.isNumber : $0 == $1 }
        guard isTime, (4...form.count).contains(time.count), time.last?.isNumber == true else { return nil }
        return String(time)
    }
}
