import ErrorRouting
import TestSupport
import Testing

extension ProgramRun {
    /// The number of errors that the notices among the reports count as dropped.
    private func drops(in reports: [ErrorReport]) -> Int {
        reports.compactMap { ($0.error as? ErrorsDropped)?.count }.reduce(0, +)
    }

    private func notices(in reports: [ErrorReport]) -> Int {
        reports.count { $0.error is ErrorsDropped || $0.error is ActionFailure }
    }

    /// The number of posts that might still be in progress: the action of a removed report can post after the end.
    private func slack(_ left: [ErrorReport]) -> Int {
        left.contains { ($0.error as? Posted)?.fate == .postsAnother } ? 1 : 0
    }

    /// Checks the laws of every run.
    ///
    /// - Parameter left: What `shutdown` returned.
    func expectLaws(_ left: [ErrorReport]) {
        let comment: Comment = "program \(program.seed): \(bus)"
        let (seen, lines, counts) = (seen.entries, lines.entries, bus.counts)
        expectCounts(counts, seen, left, lines, comment)
        expectOneEnd(seen + left, lines, slack(left), comment)
        expectOrder(seen, left, comment)
        expectOutcomes(seen, comment)
        expect(ends.entries.count, equals: 1, comment)
    }

    private func expectCounts(
        _ counts: Counts, _ seen: [ErrorReport], _ left: [ErrorReport], _ lines: [ErrorReport], _ comment: Comment
    ) {
        #expect(counts.isBalanced, comment)
        expect(counts.pending, equals: 0, comment)
        for (disposition, count) in [
            (HandleOutcome.Disposition.handled, counts.handled), (.ignored, counts.ignored),
            (.unmatched, counts.unmatched),
        ] {
            expect(seen.count { $0.outcome.disposition == disposition }, equals: count, comment)
        }
        let refused = lines.count { $0.error is Posted }
        let all = seen + left + lines
        let dropped = left.count + refused + drops(in: all)
        #expect(abs(counts.dropped - dropped) <= slack(left), comment)
        expect((seen + left).reduce(0) { $0 + $1.occurrences - 1 }, equals: counts.suppressed, comment)
        // Notices count as posted, except notices that exist only as a line.
        let posts = posted.count + notices(in: seen + left)
        #expect(abs(counts.posted - posts) <= slack(left), comment)
        // Each failure is a notice or a line. If a time limit or a shutdown had cut the action off, its failure is a
        // line that isn't counted.
        let failures = all.compactMap { $0.error as? ActionFailure }
        let abandoned = failures.count { $0.error is ActionTimeLimitExceeded } + (left.isEmpty ? 0 : 1)
        #expect((counts.failures...counts.failures + abandoned).contains(failures.count), comment)
    }

    /// Each post has exactly one of these outcomes: delivered, merged, returned, refused, or part of a notice of drops.
    private func expectOneEnd(
        _ reports: [ErrorReport], _ lines: [ErrorReport], _ slack: Int, _ comment: Comment
    ) {
        let ended = reports.filter { $0.error is Posted }
        let refused = lines.filter { $0.error is Posted }
        let sum = ended.reduce(0) { $0 + $1.occurrences } + refused.count + drops(in: reports + lines)
        #expect(abs(sum - posted.count) <= slack, comment)
        let errors = (ended + refused).compactMap { $0.error as? Posted }
        expect(Set(errors).count, equals: errors.count, comment)
        #expect(Set(errors).isSubset(of: posted.entries), comment)
    }

    private func expectOrder(_ seen: [ErrorReport], _ left: [ErrorReport], _ comment: Comment) {
        let sequences = seen.map(\.sequence)
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 }, comment)
        // A failure comes right after its report, or after another failure of that report.
        for (index, report) in seen.enumerated() {
            guard let failure = report.error as? ActionFailure else { continue }
            let before = index > 0 ? seen[index - 1].error : nil
            let isAfter = before as? Posted == failure.report.error as? Posted || before is ActionFailure
            #expect(isAfter, comment)
        }
        // A held report is delivered later than reports that were posted after it, so it is excluded.
        if program.floodLimit != nil { return }
        let all = (seen + left).compactMap { $0.error as? Posted }
        for poster in program.posters.indices {
            let numbers = all.filter { $0.poster == poster }.map(\.number)
            expect(numbers, equals: numbers.sorted(), comment)
        }
        for flush in flushed.entries {
            let early = { (error: any Error) in
                (error as? Posted).map { $0.poster == flush.poster && $0.number <= flush.number } ?? false
            }
            #expect(!seen.dropFirst(flush.observed).contains { early($0.error) }, comment)
            // Reports that `shutdown` returned are not checked: flush is true for a bus that has ended.
        }
    }

    private func expectOutcomes(_ seen: [ErrorReport], _ comment: Comment) {
        var outcomes: [Posted: HandleOutcome] = [:]
        for report in seen {
            guard let error = report.error as? Posted else { continue }
            outcomes[error] = report.outcome
            // A hanging action might end because of a shutdown. Then it isn't observed.
            expect(report.outcome.disposition, equals: error.fate.disposition, comment)
            if error.fate.fails { expect(report.outcome.failures.count, equals: 1, comment) }
        }
        for (error, outcome) in delivered.entries {
            switch outcome.disposition {
            case .dropped: expectNil(outcomes[error], comment)
            // A flood limit holds the error back.
            case .pending: #expect(program.floodLimit != nil, comment)
            default: expect(outcomes[error]?.disposition, equals: outcome.disposition, comment)
            }
        }
    }
}
