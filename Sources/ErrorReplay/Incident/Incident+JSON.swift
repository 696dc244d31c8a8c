extension Incident {
    /// The number of kinds with a full row, and the number of kinds of each role with a timeline as fine as the page's.
    private static let (fullRows, fineRows) = (1_000, 12)
    /// The number of buckets in a row's own chart of the whole time span.
    private static let sparkline = 60

    /// Returns everything that the page shows, as JSON of at most a number of bytes.
    ///
    /// If the JSON would be longer, rows first lose their examples, starting with the smallest kinds. Then the smallest
    /// kinds become one row that counts them. The largest and the new kinds are shortened last.
    package func json(limit: Int) -> [UInt8] {
        var page = PageText()
        page.raw("{")
        head(&page)
        let order = order
        let (whole, base) = span
        let coarse = max((whole + Self.sparkline - 1) / Self.sparkline, 1)
        var (rows, rest) = ([[UInt8]](), limit - page.bytes.count - 200)
        for (number, isFine) in order {
            let row = row(kinds[number], isFine ? 1 : coarse, base)
            // Add 2 for the comma and the end of the object.
            if row.count + 2 > rest { break }
            rest -= row.count + 2
            rows.append(row)
        }
        page.field("rows") { page in
            page.list(rows.indices) { page, index in
                page.raw(rows[index])
                let example = kinds[order[index].kind].example
                rest -= example.count + 12
                if rest >= 0 { page.field("example") { $0.raw(example) } }
                page.raw("}")
            }
        }
        page.field("left", order.count - rows.count)
        page.field("leftErrors", order.dropFirst(rows.count).reduce(0) { $0 + kinds[$1.kind].count })
        page.raw("}")
        return page.bytes
    }

    /// Whether a kind first occurred in the last tenth of the time span.
    private func isNew(_ kind: IncidentKind) -> Bool {
        guard let first, let last, last > first, let own = kind.first else { return false }
        return own >= last - (last - first) / 10
    }

    /// The numbers of the kinds in the order of their rows, and whether each has its own timeline in the chart.
    ///
    /// The largest and the new kinds come first, then the others by their counts.
    private var order: [(kind: Int, isFine: Bool)] {
        let sorted = kinds.indices.sorted { one, other in
            let (one, other) = (kinds[one], kinds[other])
            return (other.count, one.fingerprint, one.role) < (one.count, other.fingerprint, other.role)
        }
        var counts = [Int](repeating: 0, count: Self.roles.count)
        var (full, others): ([(Int, Bool)], [(Int, Bool)]) = ([], [])
        for (index, number) in sorted.enumerated() {
            let kind = kinds[number]
            counts[kind.role] += 1
            let isFine = counts[kind.role] <= Self.fineRows || kind.buckets.entries.count <= Self.sparkline
            if index < Self.fullRows || isNew(kind) {
                full.append((number, isFine))
            } else {
                others.append((number, isFine))
            }
        }
        return full + others
    }

    /// The number of buckets in the whole time span, and the first one.
    private var span: (count: Int, first: Int) {
        guard let first, let last else { return (0, 0) }
        let begin = Buckets.bucket(of: first, width: 1_000 * width)
        return (Buckets.bucket(of: last, width: 1_000 * width) - begin + 1, begin)
    }

    private func row(_ kind: IncidentKind, _ factor: Int, _ base: Int) -> [UInt8] {
        var page = PageText()
        page.raw("{")
        page.field("name") { $0.text(kind.fingerprint) }
        for (key, number) in [
            ("role", kind.role), ("count", kind.count), ("reports", kind.reports), ("first", kind.first),
            ("last", kind.last), ("new", isNew(kind) ? 1 : nil), ("width", factor),
        ] {
            page.field(key, number)
        }
        let all = [
            ("hosts", kind.hosts), ("scopes", kind.scopes), ("outcomes", kind.outcomes), ("origins", kind.origins),
        ]
        for (key, counts) in all {
            page.field(key) { page in
                page.list(counts.entries.sorted { $1.count < $0.count }) { page, entry in
                    page.raw("[")
                    page.text(names.names[entry.name])
                    page.raw(",\(entry.count)]")
                }
            }
            if counts.others > 0 { page.field("\(key)Others", counts.others) }
        }
        page.field("times") { Self.times(kind.buckets, factor, base, &$0) }
        return page.bytes
    }

    /// Writes each bucket's distance from the previous one, and its count.
    private static func times(_ buckets: Buckets, _ factor: Int, _ base: Int, _ page: inout PageText) {
        var latest = 0
        page.list(buckets.merged(by: factor, from: base).entries) { page, entry in
            page.raw("\((entry.bucket - latest) * factor),\(entry.count)")
            latest = entry.bucket
        }
    }

    private func head(_ page: inout PageText) {
        let (count, base) = span
        for (key, number) in [
            ("width", width), ("base", base), ("buckets", count), ("first", first), ("last", last),
            ("interrupted", isInterrupted ? 1 : 0), ("kinds", kinds.count), ("lines", lines), ("reports", reports),
            ("unreadable", unreadable), ("later", ofLaterVersions),
            ("untimed", untimed), ("leftOut", leftOut), ("merged", merged), ("dropped", dropped),
            ("undelivered", undelivered), ("beyond", beyond),
        ] {
            page.field(key, number)
        }
        page.field("failures") { $0.list(failures.prefix(50)) { $0.text(PageText.shown($1, 300)) } }
        page.field("roles") { $0.list(Self.roles) { $0.text($1) } }
        page.field("timelines") { $0.list(timelines) { Self.times($1, 1, base, &$0) } }
    }
}
