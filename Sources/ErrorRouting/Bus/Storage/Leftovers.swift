/// The reports that a shutdown removed.
struct Leftovers {
    /// The undelivered postings, the one in delivery first, with their sequence numbers.
    private(set) var postings: [(posting: Posting, sequence: UInt64)] = []
    /// The unreported failed actions of the report in delivery.
    let failures: [ActionFailure]
    /// The generation of the worker that was delivering that report.
    let worker: UInt64

    init(_ failures: [ActionFailure], of worker: UInt64) { (self.failures, self.worker) = (failures, worker) }

    mutating func append(_ posting: Posting, sequence: UInt64 = 0) { postings.append((posting, sequence)) }

    /// The undelivered reports.
    var reports: [ErrorReport] { postings.map { $0.posting.report(sequence: $0.sequence) } }
}
