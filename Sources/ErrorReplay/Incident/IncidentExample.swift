/// Renders an example of a kind's errors.
enum IncidentExample {
    /// Returns the scanned line as JSON for the page, with truncated strings.
    ///
    /// If `isShort` is true, there is room only for the beginning of the message.
    static func json(_ scan: RecordScan, _ line: Span<UInt8>, isShort: Bool) -> [UInt8] {
        var page = PageText()
        func shown(_ part: Range<Int>, _ limit: Int) -> String { PageText.shown(RecordScan.string(part, line), limit) }
        func field(_ key: String, _ name: RecordScan.Text, _ limit: Int) {
            if let range = scan.range(of: name), !range.isEmpty { page.field(key) { $0.text(shown(range, limit)) } }
        }
        page.raw("{")
        field("message", .message, isShort ? 200 : 800)
        if !isShort {
            field("time", .time, 40)
            field("host", .host, 100)
            field("service", .service, 100)
            field("release", .release, 100)
            page.field("sequence", scan.sequence)
            field("source", .source, 200)
            page.field("metadata") {
                $0.list(scan.metadata(line).prefix(12)) { page, entry in
                    page.list([(entry.key, 60), (entry.value, 160)]) { $0.text(shown($1.0, $1.1)) }
                }
            }
            page.field("trail") {
                $0.list(scan.trail.prefix(8)) { page, step in
                    page.list([(step.type, 100), (step.message, 200)]) { $0.text(shown($1.0, $1.1)) }
                }
            }
        }
        page.raw("}")
        return page.bytes
    }
}
