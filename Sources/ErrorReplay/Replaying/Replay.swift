public import ErrorRecording
public import ErrorRouting
import Foundation

/// Shows how other rules would handle recorded errors, without running actions.
///
/// ```swift
/// import ErrorReplay
/// import ErrorRouting
///
/// func check(_ rules: ErrorHandler, against file: String) throws -> Bool {
///     var replay = Replay(rules: rules)
///     try replay.add(contentsOf: file)
///     print(replay)
///     return replay.verdict == .same
/// }
/// ```
///
/// For each error that can be rebuilt, the replay calls `explain` with the new rules. It compares the rule that would
/// end the handling with the recorded rule. It can't determine the results of actions, so it assumes that each action
/// returns the same result as when the error was handled; see `Explanation.outcome(matchedRuleCount:)`.
///
/// If an error can't be rebuilt, the replay explains its type, domain, and code, and the same names of its underlying
/// errors; see `ErrorNames`. If a rule that would be reached needs more than these names, the error isn't judged, and
/// the table shows the rule.
///
/// Two rules count as the same rule if their matchers have the same description and they are registered in the same
/// file. If several new rules qualify, the rule on the same line is used. So a rule can move within its file. A changed
/// predicate is noticed only if its matcher's name has changed too.
///
/// Lines have the same verdict if their deciding fields have the same bytes. These fields are type, case, domain, code,
/// value, scope, the outcome with its rule, and the underlying errors. So the replay caches up to 2,048 verdicts by
/// these bytes. It assumes that decoding an error and comparing it with `==` don't depend on anything else. The closure
/// of a `predicate`, a `where`, or an `extracting` can read anything. So if the rules call one of these closures, only
/// the rebuilt error is cached, and the rules are evaluated for each line. If the rules need only an error's type and
/// domain, lines that differ only in the error's value have the same verdict too. The replay still decodes each of
/// these values, to check that the rebuilt error matches the record.
public struct Replay: Sendable, CustomStringConvertible {
    /// The cached result of lines with the same deciding bytes.
    private struct CachedResult: Sendable {
        /// The row in which the lines are counted.
        let row: Int
        /// The error and rules to evaluate for each line; nil if the row is the same for all lines.
        var evaluation: Evaluation?
        /// The last outcome; if the next outcome is equal, the row is the same too.
        var outcome: HandleOutcome?
    }

    /// An error with the rules to evaluate.
    ///
    /// This is a class, as is `Family`, so that a lookup copies little.
    private final class Evaluation: Sendable {
        let record: ReplayedRecord
        let error: any Error
        let rules: ReplayRules.Path

        init(_ record: ReplayedRecord, _ error: any Error, _ rules: ReplayRules.Path) {
            (self.record, self.error, self.rules) = (record, error, rules)
        }
    }

    /// The cached result of lines that differ only in the error's value.
    private final class Family: Sendable {
        /// The record of one of the lines without its value, which might be long.
        let record: ReplayedRecord
        let rules: ReplayRules.Path
        /// The row of all errors that are rebuilt as recorded; nil if the rules must be evaluated.
        let row: Int?
        /// The type and case of these errors; nil if each error must be compared with its record.
        let errorCase: ErrorCase?

        init(_ evaluation: Evaluation, row: Int?) {
            var record = evaluation.record
            record.value = nil
            (self.record, rules, self.row) = (record, evaluation.rules, row)
            errorCase = ErrorCase(decidingKindOf: evaluation.error)
        }
    }

    private(set) var tally = ReplayTally()
    private var rules: ReplayRules
    let rebuilding: RebuildableErrors
    /// Selects the records to count.
    var filter = RecordFilter()
    /// Whether to use the fast scan and the caches; false in tests that compare the results with and without them.
    private let usesCaches: Bool
    private var scan = RecordScan()
    private var results = VerdictCache<CachedResult>()
    private var families = VerdictCache<Family>(count: 256)

    /// The number of lines that aren't records.
    public private(set) var unreadable = 0
    /// The number of records of a later version of the format.
    ///
    /// Their known fields are read.
    public private(set) var ofLaterVersions = 0
    /// The number of records that the command's options exclude.
    private(set) var leftOut = 0
    /// Whether reading a file was cancelled or interrupted.
    private(set) var isInterrupted = false
    /// Whether a file couldn't be read to its end, or contains lines but no record.
    private(set) var hasUnreadableInput = false

    /// Creates a replay.
    ///
    /// - Parameters:
    ///   - rules: The rules of the bus.
    ///   - scopes: The rules of scopes by path, such as `checkout` and `checkout/payment`. The rules of an inner scope
    ///     are tried first. For a scope with the order `.rootFirst`, pass its rules overlaid by `rules`.
    ///   - rebuilding: The error types that were added when the errors were recorded.
    public init(
        rules: ErrorHandler,
        scopes: [String: ErrorHandler] = [:],
        rebuilding: RebuildableErrors = RebuildableErrors()
    ) {
        self.init(rules: rules, scopes: scopes, rebuilding: rebuilding, usesCaches: true)
    }

    init(rules: ErrorHandler, scopes: [String: ErrorHandler], rebuilding: RebuildableErrors, usesCaches: Bool) {
        self.rules = ReplayRules(rules, scopes: scopes)
        self.rebuilding = rebuilding
        self.usesCaches = usesCaches
    }

    // MARK: Adding

    /// Replays one line of a file; a blank line is skipped.
    ///
    /// - Parameter line: The line, with or without its line ending.
    /// - Complexity: O(length of the line) if the verdict is cached. Otherwise, also the cost of decoding the error,
    ///   and O(number of rules).
    public mutating func add(_ line: some StringProtocol) {
        let bytes = Array(line.utf8)
        add(line: bytes.span)
    }

    /// Replays the lines of a file in pieces, in constant memory.
    ///
    /// Lines end with LF or CR LF; the last line might not have a line ending. If a file grows during the replay, the
    /// replay reads up to the end of the line that was last when it started. Decompress a compressed file first, and
    /// pipe it: `zcat FILE | … -`. A file without lines isn't an error.
    ///
    /// If the task is cancelled, reading stops before the next line or piece, and ``verdict`` is
    /// ``Verdict/interrupted``.
    ///
    /// - Parameter path: The path of the file; `-` for standard input.
    /// - Throws: ``UnreadableInput`` if the file can't be opened or read to its end, or if it contains lines but no
    ///   record. The lines before the failure are counted.
    public mutating func add(contentsOf path: String) throws(UnreadableInput) {
        var failure: UnreadableInput?
        let input = Result { () throws(UnreadableInput) in try ReplayInput(path) }
        add(from: input, unless: { Task.isCancelled }, onFailure: { failure = $0 })
        if let failure { throw failure }
    }

    /// Replays all lines of a file.
    ///
    /// `isCancelled` is called before each line. `onPiece` is called at intervals with the number of lines and bytes
    /// since the last call. `onFailure` is called if the file can't be read to its end, or if it contains lines but no
    /// record.
    mutating func add(
        from input: Result<ReplayInput, UnreadableInput>,
        unless isCancelled: @escaping () -> Bool,
        onPiece: (_ lines: Int, _ bytes: Int) -> Void = { _, _ in },
        onFailure: (UnreadableInput) -> Void
    ) {
        do {
            let (input, readableBefore, unreadableBefore) = (try input.get(), readable, unreadable)
            var reader = LineReader(input, unless: isCancelled)
            var (lines, taken) = (0, 0)
            defer { onPiece(lines, reader.taken - taken) }
            while let line = try reader.next() {
                if line.isTooLong { unreadable += 1 } else { add(line: reader.buffer.span.extracting(line.range)) }
                lines += 1
                guard lines == 1_024 else { continue }
                onPiece(lines, reader.taken - taken)
                (lines, taken) = (0, reader.taken)
            }
            if reader.wasCancelled { return isInterrupted = true }
            try input.requireRecord(readable: readable - readableBefore, unreadable: unreadable - unreadableBefore)
        } catch {
            hasUnreadableInput = true
            onFailure(error)
        }
    }

    /// Adds the counts of another replay with the same rules, so that several cores can read different files.
    ///
    /// If both contain an example of a difference, this replay's example is kept.
    package mutating func merge(_ other: Replay) {
        tally.merge(other.tally)
        unreadable += other.unreadable
        ofLaterVersions += other.ofLaterVersions
        leftOut += other.leftOut
        isInterrupted = isInterrupted || other.isInterrupted
        hasUnreadableInput = hasUnreadableInput || other.hasUnreadableInput
    }

    // MARK: One line

    mutating func add(line: Span<UInt8>) {
        var end = line.count
        if end > 0, line[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let line = line.extracting(first: end)
        if usesCaches, scan.read(line) { return addScanned(line) }
        if line.isBlank { return }
        guard let record = ReplayedRecord(decoding: line) else {
            unreadable += 1
            return
        }
        guard filter.admits(record) else {
            leftOut += 1
            return
        }
        if record.version > ErrorRecord.version { ofLaterVersions += 1 }
        let row = judge(record).row
        tally.count(row, occurrences: Occurrences.bounded(record.occurrences), Example(record))
    }

    private mutating func addScanned(_ line: Span<UInt8>) {
        if !filter.isEmpty, !filter.admits(scan.record(line)) {
            leftOut += 1
            return
        }
        let slot = results.slot(of: scan.key)
        let known = results.verdict(at: slot)
        // If the cached result contains rules to evaluate, evaluate them. If there is no cached result, judge the line.
        let verdict = known.map { known in known.evaluation.map { evaluate($0, known) } ?? known } ?? judgeScanned(line)
        if known?.row != verdict.row { results.store(verdict, of: scan.key, at: slot) }
        let example = tally.hasExample(verdict.row) ? nil : Example(scan.record(line))
        tally.count(verdict.row, occurrences: scan.occurrences, example)
    }

    /// Judges a line that isn't cached, although its family might be: often only the error's value differs from a
    /// cached line.
    private mutating func judgeScanned(_ line: Span<UInt8>) -> CachedResult {
        let key = scan.keyWithoutValue
        guard let key, let family = families.verdict(at: families.slot(of: key)) else {
            return judge(scan.record(line, isWhole: false), key)
        }
        guard let error = rebuilding.error(of: family.record, value: scan.value(line), like: family.errorCase) else {
            return judgeByNames(family.record)
        }
        return family.row.map { CachedResult(row: $0) } ?? evaluate(Evaluation(family.record, error, family.rules))
    }

    /// Judges a record, and returns the result to cache for other lines with the same bytes.
    ///
    /// `key` contains the bytes that the lines of the record's family share; nil if the record doesn't have a value.
    private mutating func judge(_ record: ReplayedRecord, _ key: [UInt8]? = nil) -> CachedResult {
        // Other dispositions mean that the report was never delivered, as for the reports that `shutdown` returns.
        let delivered: [HandleOutcome.Disposition] = [.handled, .ignored, .unmatched]
        guard delivered.contains(where: { $0.rawValue == record.disposition }) else {
            return CachedResult(row: tally.row(of: .undelivered))
        }
        // Expect `ignored`, because a bus doesn't evaluate rules for an attempt.
        if record.role == ErrorReport.Role.attempt.name {
            return CachedResult(row: tally.row(of: rules.compare(record, HandleOutcome(disposition: .ignored), nil)))
        }
        guard let error = rebuilding.error(of: record, value: record.value.map { Data($0.utf8) }) else {
            return judgeByNames(record)
        }
        let evaluation = Evaluation(record, error, rules.path(record.scope ?? []))
        let explanation = evaluation.rules.explain(error)
        let verdict = compare(evaluation, explanation)
        if let key {
            let family = Family(evaluation, row: explanation.followsFromType ? verdict.row : nil)
            families.store(family, of: key, at: families.slot(of: key))
        }
        return verdict
    }

    /// Judges a record by the error's type, domain, and code if the error can't be rebuilt.
    ///
    /// The record is counted as not judged if the rules need more.
    private mutating func judgeByNames(_ record: ReplayedRecord) -> CachedResult {
        let explanation = rules.path(record.scope ?? []).explain(named: record.names)
        let outcome = explanation.outcome(matchedRuleCount: record.matchedRuleCount)
        if outcome.disposition != .pending {
            return CachedResult(row: tally.row(of: rules.compare(record, outcome, explanation)))
        }
        let rule = explanation.entries.first { $0.verdict == .undecided }?.rule
        let notJudged = Replay.NotJudged(type: record.type, rule: rule?.description ?? ReplayTally.others)
        return CachedResult(row: tally.row(of: .notRebuilt(notJudged)))
    }

    private mutating func evaluate(_ evaluation: Evaluation, _ last: CachedResult? = nil) -> CachedResult {
        compare(evaluation, evaluation.rules.explain(evaluation.error), last)
    }

    private mutating func compare(
        _ evaluation: Evaluation, _ explanation: Explanation, _ last: CachedResult? = nil
    ) -> CachedResult {
        let outcome = explanation.outcome(matchedRuleCount: evaluation.record.matchedRuleCount)
        if let last, outcome.rule == last.outcome?.rule, outcome.disposition == last.outcome?.disposition {
            return last
        }
        let row = tally.row(of: rules.compare(evaluation.record, outcome, explanation))
        guard explanation.callsPredicates else { return CachedResult(row: row) }
        return CachedResult(row: row, evaluation: evaluation, outcome: outcome)
    }
}
