/// What a shutdown has taken back.
struct Leftovers {
    /// The postings that were not delivered, the one in delivery first, with their numbers in the order of delivery.
    private(set) var postings: [(posting: Posting, sequence: UInt64)] = []
    /// The failed actions of the report in delivery, which nobody has reported yet.
    let failures: [ActionFailure]
    /// The generation of the worker that had it in delivery.
    let worker: UInt64

    init(_ failures: [ActionFailure], of worker: UInt64) { (self.failures, self.worker) = (failures, worker) }

    mutating func append(_ posting: Posting, sequence: UInt64 = 0) { postings.append((posting, sequence)) }

    /// The reports that were not delivered.
    var reports: [ErrorReport] { postings.map { $0.posting.report(sequence: $0.sequence) } }
}
