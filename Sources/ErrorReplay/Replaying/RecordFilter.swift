/// Selects the records that count in a replay.
struct RecordFilter: Sendable, Equatable {
    /// The earliest time of a record that counts, or the beginning of a time, such as `2026-05-31T16`.
    var since: String?
    /// The time before which records count.
    var until: String?
    var hosts: Set<String> = []
    var services: Set<String> = []
    var releases: Set<String> = []
    /// Full names of types, or the part after the module.
    var types: Set<String> = []

    var isEmpty: Bool { self == RecordFilter() }

    func admits(_ record: ReplayedRecord) -> Bool {
        // Compare the strings: times of one form, in UTC, sort like their strings.
        if let since { guard let time = record.time, time >= since else { return false } }
        if let until { guard let time = record.time, time < until else { return false } }
        if !hosts.isEmpty { guard let host = record.host, hosts.contains(host) else { return false } }
        if !services.isEmpty { guard let service = record.service, services.contains(service) else { return false } }
        if !releases.isEmpty { guard let release = record.release, releases.contains(release) else { return false } }
        if types.isEmpty || types.contains(record.type) { return true }
        return record.type.firstIndex(of: ".").map { types.contains(String(record.type[$0...].dropFirst())) } ?? false
    }

    /// Returns a time in the form for comparisons; nil if the string is neither a time nor the beginning of one.
    static func time(_ text: String) -> String? {
        let form = "0000-00-00T00:00:00.000000"
        let time = text.hasSuffix("Z") ? text.dropLast() : text[...]
        let isTime = zip(time, form).allSatisfy { $1 == "0" ? $0.isASCII && $0.isNumber : $0 == $1 }
        guard isTime, (4...form.count).contains(time.count), time.last?.isNumber == true else { return nil }
        return String(time)
    }
}
