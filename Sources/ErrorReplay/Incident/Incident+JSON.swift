extension Incident {
    /// The number of kinds with a full row, and the number of kinds of each role whose timelines are as fine as the
    /// page's.
    private static let (fullRows, fineRows) = (1_000, 12)
    /// The number of buckets in a row's own chart of the whole time span.
    private static let sparkline = 60
    /// The maximum number of buckets in a deployment's own timelines.
    private static let deploymentBuckets = 360

    /// Returns the page's data as JSON of at most `limit` bytes.
    ///
    /// If the JSON would be longer, rows first lose their examples, starting with the smallest kinds. Then the smallest
    /// kinds are replaced with one row that counts them. The largest and newest kinds are shortened last.
    package func json(limit: Int) -> [UInt8] {
        var page = PageText()
        page.raw("{")
        head(&page)
        let order = order
        let (whole, base) = span
        // Use a multiple of the width of the deployments' timelines, because the page subtracts rows from these
        // timelines.
        let fine = hasDeployments ? deploymentFactor(whole) : 1
        let coarse = max((whole + Self.sparkline * fine - 1) / (Self.sparkline * fine), 1) * fine
        var (rows, rest) = ([[UInt8]](), limit - page.bytes.count - 200)
        let newest = deployments.newest
        let shorts = shortNames
        for (number, isFine) in order {
            let row = row(kinds[number], shorts[number], isFine ? 1 : coarse, base, newest)
            // Add 2 for the comma and the closing brace.
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

    /// Returns whether a kind first occurred in the last tenth of the time span.
    private func isNew(_ kind: IncidentKind) -> Bool {
        guard let first, let last, last > first, let own = kind.first else { return false }
        return own >= last - (last - first) / 10
    }

    /// Returns whether all errors of a kind occurred in the newest release of their service.
    private func isInNewestRelease(_ kind: IncidentKind, _ newest: Set<Int>) -> Bool {
        kind.parts.allSatisfy { newest.contains($0.deployment) }
    }

    /// The short name of each kind, or its fingerprint if another kind of the same role has the same short name.
    private var shortNames: [String] {
        var counts: [String: Int] = [:]
        for kind in kinds { counts["\(kind.role)\(kind.short)", default: 0] += 1 }
        return kinds.map { counts["\($0.role)\($0.short)"] == 1 ? $0.short : $0.fingerprint }
    }

    /// The numbers of the kinds in row order, and whether each kind has its own timeline in the chart.
    ///
    /// The largest and newest kinds come first, followed by the other kinds in order of their counts.
    private var order: [(kind: Int, isFine: Bool)] {
        let sorted = kinds.indices.sorted { one, other in
            let (one, other) = (kinds[one], kinds[other])
            return (other.count, one.fingerprint, one.role) < (one.count, other.fingerprint, other.role)
        }
        var counts = [Int](repeating: 0, count: Self.roles.count)
        var (full, others): ([(Int, Bool)], [(Int, Bool)]) = ([], [])
        let newest = deployments.newest
        for (index, number) in sorted.enumerated() {
            let kind = kinds[number]
            counts[kind.role] += 1
            let size = kind.parts.reduce(0) { $0 + $1.buckets.entries.count }
            let isFine = counts[kind.role] <= Self.fineRows || size <= Self.sparkline
            if index < Self.fullRows || isNew(kind) || isInNewestRelease(kind, newest) {
                full.append((number, isFine))
            } else {
                others.append((number, isFine))
            }
        }
        return full + others
    }

    /// The number of buckets in the whole time span, and the first bucket.
    private var span: (count: Int, first: Int) {
        guard let first, let last else { return (0, 0) }
        let begin = Buckets.bucket(of: first, width: width)
        return (Buckets.bucket(of: last, width: width) - begin + 1, begin)
    }

    private func row(
        _ kind: IncidentKind, _ short: String, _ factor: Int, _ base: Int, _ newest: Set<Int>
    ) -> [UInt8] {
        var page = PageText()
        page.raw("{")
        page.field("name") { $0.text(kind.fingerprint) }
        if short != kind.fingerprint { page.field("short") { $0.text(short) } }
        for (key, number) in [
            ("role", kind.role), ("new", isNew(kind) ? 1 : nil), ("width", factor),
            ("inNewest", isInNewestRelease(kind, newest) ? 1 : nil),
        ] {
            page.field(key, number)
        }
        page.field("parts") { page in page.list(kind.parts) { part($1, factor, base, &$0) } }
        return page.bytes
    }

    private func part(_ part: IncidentPart, _ factor: Int, _ base: Int, _ page: inout PageText) {
        page.raw("{")
        for (key, number) in [
            ("of", part.deployment), ("count", part.count), ("reports", part.reports), ("first", part.first),
            ("last", part.last),
        ] {
            page.field(key, number)
        }
        let all = [
            ("hosts", part.hosts), ("scopes", part.scopes), ("outcomes", part.outcomes), ("origins", part.origins),
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
        page.field("times") { Self.times(part.buckets, factor, base, &$0) }
        page.raw("}")
    }

    /// Writes each bucket's distance from the previous bucket, and its count.
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
            ("unreadable", unreadable), ("unended", unended), ("later", ofLaterVersions),
            ("untimed", untimed), ("leftOut", leftOut), ("merged", merged), ("dropped", dropped),
            ("undelivered", undelivered), ("beyond", beyond),
        ] {
            page.field(key, number)
        }
        page.field("failures") { $0.list(failures.prefix(50)) { $0.text(PageText.shown($1, 300)) } }
        page.field("roles") { $0.list(Self.roles) { $0.text($1) } }
        page.field("timelines") { page in
            page.list(0..<Self.roles.count + 2) { page, index in
                Self.times(.sum(of: timelines.lazy.map { $0[index] }), 1, base, &page)
            }
        }
        deployments(&page, count, base)
    }

    /// Whether there are several services or releases.
    private var hasDeployments: Bool { timelines.count > 2 }

    /// Returns how many buckets are merged into each bucket of a deployment's timelines.
    private func deploymentFactor(_ count: Int) -> Int {
        max((count + Self.deploymentBuckets - 1) / Self.deploymentBuckets, 1)
    }

    /// Writes the services and releases and, if there are several, the timelines of each deployment.
    private func deployments(_ page: inout PageText, _ count: Int, _ base: Int) {
        page.field("deployments") { page in
            page.list(deployments.deployments) { page, deployment in
                page.list([deployment.service, deployment.release].compactMap(\.self)) { $0.text($1) }
            }
        }
        page.field("newest") { page in
            page.list(deployments.newest.sorted()) { page, number in
                page.list([number, deployments.firstTimes[number] ?? 0]) { $0.raw("\($1)") }
            }
        }
        guard hasDeployments else { return }
        let factor = deploymentFactor(count)
        page.field("deploymentWidth", factor)
        page.field("deploymentTimelines") { page in
            page.list(timelines) { page, own in page.list(own) { Self.times($1, factor, base, &$0) } }
        }
    }
}
