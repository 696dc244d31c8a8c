import ErrorRecording
import Foundation

/// Recorded errors by kind and time, in constant memory: all data that an incident page shows.
///
/// Errors with the same fingerprint and role have the same kind.
package struct Incident: Sendable {
    /// The limits of the collected data, regardless of the lines' contents.
    struct Limits: Sendable {
        /// The number of kinds with their own row; all other kinds are counted together.
        var kinds = 10_000
        /// The number of parts of all kinds, one part per service and release; beyond it, a kind's further parts are
        /// counted together.
        var parts = 30_000
        /// The maximum number of buckets in the whole time span.
        var buckets = 1_440
        /// The maximum number of counts in the buckets of all kinds.
        var counts = 300_000
    }

    static let roles = ["failure", "attempt", "notice", "other roles"]

    /// Where lines with the same deciding bytes (see ``RecordScan/key``) are counted: the numbers of their kind,
    /// deployment, host, scope, outcome, and throw location.
    private struct Cell: Sendable {
        let (kind, deployment, host, scope, outcome): (Int, Int, Int, Int, Int)
        let origin: Int?
        let isUnmatched: Bool
        let isUndelivered: Bool
        let isDrops: Bool
    }

    let limits: Limits
    /// Selects the records to count.
    var filter = RecordFilter()

    private(set) var kinds: [IncidentKind] = []
    private var kindNumbers: [String: Int] = [:]
    private(set) var names = NameTable()
    private(set) var deployments = DeploymentTable()
    private var parts = 0
    private var cells = VerdictCache<Cell>()
    private var (scan, key) = (RecordScan(), [UInt8]())
    private var exampleSize = 0

    /// The width of a bucket in milliseconds.
    private(set) var width = 1
    private var counts = 0
    /// The timelines of each deployment: one per role, one for failures that no rule matched, and one for dropped and
    /// undelivered errors.
    private(set) var timelines: [[Buckets]] = []
    private(set) var (first, last): (Int?, Int?) = (nil, nil)

    private(set) var (lines, reports) = (0, 0)
    /// Four counts: lines that aren't records, records of a later version, records without a time, and records that
    /// options exclude.
    private(set) var (unreadable, ofLaterVersions, untimed, leftOut) = (0, 0, 0, 0)
    /// Three counts of errors: merged with others by a flood limit, dropped by a bus, and recorded without being
    /// delivered.
    private(set) var (merged, dropped, undelivered) = (0, 0, 0)
    /// The number of errors of kinds beyond the limit.
    private(set) var beyond = 0
    /// The number of files whose last line doesn't end with a newline.
    var unended = 0
    /// Whether reading was interrupted.
    var isInterrupted = false
    /// The files that couldn't be read, each with the reason.
    var failures: [String] = []

    package init() { self.init(limits: Limits()) }

    init(limits: Limits) { self.limits = limits }

    // MARK: Lines

    /// Counts one line, which is passed without its line feed.
    mutating func add(line: Span<UInt8>) {
        let end = line.count > 0 && line[line.count - 1] == UInt8(ascii: "\r") ? line.count - 1 : line.count
        let line = line.extracting(first: end)
        if scan.read(line) { return count(line) }
        if line.isBlank { return }
        let data = unsafe line.withUnsafeBufferPointer { bytes in unsafe Data(buffer: bytes) }
        // error-audit: harmless, because a line that isn't a record is counted
        guard let record = try? Self.decoder.decode(ErrorRecord.self, from: data), record.version >= 1 else {
            return addUnreadable()
        }
        // Encode the record again, so that it contains the fields that a recorder of this version would have written.
        var known = record
        known.version = ErrorRecord.version
        let written = RecordLine(known).bytes
        guard scan.read(written.span.extracting(droppingLast: 1)) else { return addUnreadable() }
        if record.version > ErrorRecord.version { ofLaterVersions += 1 }
        count(written.span.extracting(droppingLast: 1))
    }

    mutating func addUnreadable() {
        lines += 1
        unreadable += 1
    }

    private static let decoder = JSONDecoder()

    private mutating func count(_ line: Span<UInt8>) {
        lines += 1
        if !filter.isEmpty, !filter.admits(scan.record(line)) { return leftOut += 1 }
        reports += 1
        let occurrences = scan.occurrences
        merged += occurrences - 1
        let cell = cell(line)
        if cell.isDrops { dropped += drops(line) ?? occurrences }
        if cell.isUndelivered { undelivered += occurrences }
        let role = cell.kind >= 0 ? kinds[cell.kind].role : 0
        let part = cell.kind >= 0 ? part(of: cell.kind, in: cell.deployment) : 0
        if cell.kind >= 0 {
            kinds[cell.kind].parts[part].reports += 1
            kinds[cell.kind].parts[part].count += occurrences
            kinds[cell.kind].parts[part].hosts.add(occurrences, cell.host)
            kinds[cell.kind].parts[part].scopes.add(occurrences, cell.scope)
            kinds[cell.kind].parts[part].outcomes.add(occurrences, cell.outcome)
            if let origin = cell.origin { kinds[cell.kind].parts[part].origins.add(occurrences, origin) }
        } else {
            beyond += occurrences
        }
        guard let range = scan.range(of: .time), let time = line.milliseconds(range) else { return untimed += 1 }
        first = min(first ?? time, time)
        last = max(last ?? time, time)
        deployments.saw(cell.deployment, at: time)
        widen()
        let bucket = Buckets.bucket(of: time, width: width)
        if cell.kind >= 0 {
            kinds[cell.kind].parts[part].saw(time)
            if kinds[cell.kind].parts[part].buckets.add(occurrences, at: bucket) { counts += 1 }
        }
        while timelines.count <= cell.deployment {
            timelines.append([Buckets](repeating: Buckets(), count: Self.roles.count + 2))
        }
        var added = [role]
        if cell.isUnmatched { added.append(Self.roles.count) }
        if cell.isUndelivered || cell.isDrops { added.append(Self.roles.count + 1) }
        for index in added { _ = timelines[cell.deployment][index].add(occurrences, at: bucket) }
    }

    /// Returns the index of a kind's part for a deployment, and creates the part if necessary.
    private mutating func part(of kind: Int, in deployment: Int) -> Int {
        let own = kinds[kind].parts
        if let index = own.firstIndex(where: { $0.deployment == deployment }) { return index }
        // Beyond the limit, a kind can still have its first part, and one part that represents all further deployments.
        let isOther = !own.isEmpty && parts >= limits.parts
        if isOther, let index = own.firstIndex(where: { $0.deployment == DeploymentTable.others }) { return index }
        parts += 1
        kinds[kind].parts.append(IncidentPart(deployment: isOther ? DeploymentTable.others : deployment))
        return own.count
    }

    /// Merges buckets until the whole time span and all kinds are within their limits.
    private mutating func widen() {
        guard let first, let last else { return }
        while (last - first) / width >= limits.buckets || counts > limits.counts {
            let next = Buckets.width(after: width)
            counts = 0
            for kind in kinds.indices {
                for part in kinds[kind].parts.indices {
                    kinds[kind].parts[part].buckets = kinds[kind].parts[part].buckets.merged(by: next / width)
                    counts += kinds[kind].parts[part].buckets.entries.count
                }
            }
            timelines = timelines.map { $0.map { $0.merged(by: next / width) } }
            width = next
        }
    }

    // MARK: Cells

    private mutating func cell(_ line: Span<UInt8>) -> Cell {
        key.removeAll(keepingCapacity: true)
        let names: [RecordScan.Text] = [
            .role, .type, .fingerprint, .service, .release, .host, .origin, .disposition, .rule, .ruleSource,
        ]
        for name in names {
            if let range = scan.range(of: name) { add(range, line) }
            key.append(0)
        }
        for range in scan.scope { add(range, line) }
        let slot = cells.slot(of: key)
        if let cell = cells.verdict(at: slot) { return cell }
        let cell = newCell(line)
        cells.store(cell, of: key, at: slot)
        return cell
    }

    private mutating func add(_ range: Range<Int>, _ line: Span<UInt8>) {
        unsafe line.extracting(range).withUnsafeBufferPointer { unsafe key.append(contentsOf: $0) }
        key.append(UInt8(ascii: "/"))
    }

    private mutating func newCell(_ line: Span<UInt8>) -> Cell {
        let (disposition, type, role) = (text(.disposition, line), text(.type, line), text(.role, line))
        let rule = scan.range(of: .rule) == nil ? "" : " by \(text(.rule, line)) at \(text(.ruleSource, line))"
        let scope = scan.scope.map { RecordScan.string($0, line) }.joined(separator: "/")
        return Cell(
            kind: kind(line, Self.roles.firstIndex(of: role) ?? Self.roles.count - 1, type),
            deployment: deployments.number(
                service: text(.service, line),
                release: scan.range(of: .release) == nil ? nil : text(.release, line)),
            host: names.number(of: text(.host, line)), scope: names.number(of: scope),
            outcome: names.number(of: disposition + rule),
            origin: scan.range(of: .origin) == nil ? nil : names.number(of: text(.origin, line)),
            isUnmatched: disposition == "unmatched" && role == Self.roles[0],
            isUndelivered: disposition == "dropped" || disposition == "pending",
            isDrops: type == "ErrorRouting.ErrorsDropped")
    }

    /// Returns the number of the line's kind; -1 if there are too many kinds.
    private mutating func kind(_ line: Span<UInt8>, _ role: Int, _ type: String) -> Int {
        let own = text(.fingerprint, line)
        let fingerprint = PageText.shown(own.isEmpty ? type : own, 200)
        let name = "\(role)\(fingerprint)"
        if let number = kindNumbers[name] { return number }
        guard kinds.count < limits.kinds else { return -1 }
        let example = IncidentExample.json(scan, line, isShort: exampleSize > 4 << 20)
        exampleSize += example.count
        kindNumbers[name] = kinds.count
        let short = IncidentName.short(of: own, type: type, source: text(.source, line))
        kinds.append(
            IncidentKind(
                fingerprint: fingerprint, short: PageText.shown(short, 100), role: role, example: example))
        return kinds.count - 1
    }

    private func text(_ name: RecordScan.Text, _ line: Span<UInt8>) -> String {
        scan.range(of: name).map { RecordScan.string($0, line) } ?? ""
    }

    /// The number of errors that a drop notice reports; nil if the line doesn't contain it.
    private func drops(_ line: Span<UInt8>) -> Int? {
        struct Drops: Decodable { let count: Int }
        // error-audit: harmless, because the report itself is counted then
        guard let value = scan.value(line), let drops = try? Self.decoder.decode(Drops.self, from: value) else {
            return nil
        }
        return Occurrences.bounded(drops.count)
    }
}
