import Synchronization

@testable import ErrorRouting

/// An intake for numbered errors, whose answers can be compared.
final class IntakeBox: Sendable {
    enum Reservation: Equatable {
        case accepted
        case full(makesNotice: Bool)
        case closed
    }

    typealias PushAnswer = Mailbox<PendingReport>.PushAnswer

    let intake: BusIntake

    init(capacity: Int) { intake = BusIntake(capacity: capacity) }

    func reserve(_ number: Int) -> Reservation { reserve(for: Numbered(number)) }

    func reserve(for error: any Error) -> Reservation {
        switch intake.reserve(for: error) {
        case .accepted: .accepted
        case .full(let makesNotice): .full(makesNotice: makesNotice)
        case .closed: .closed
        }
    }

    func push(_ number: Int) -> PushAnswer { push(PendingReport(Numbered(number), at: .init())) }
    func pushNotice() -> PushAnswer { push(Self.notice) }
    func push(_ pending: PendingReport) -> PushAnswer { intake.push(pending) }

    func reserveNotice() -> Bool { intake.reserveNotice() }

    /// How many drops the notice tells of that was pushed.
    func takeDrops() -> Int {
        _ = intake.takeAll()
        return takeDropsOfNotice()
    }

    /// How many drops a notice tells of that was taken.
    func takeDropsOfNotice() -> Int { intake.takeDrops(for: Self.notice).count }

    /// The numbers of what was pushed; -1 is a notice.
    func takeAll() -> [Int] { numbers(intake.takeAll()) }
    func shut() -> [Int] { numbers(intake.shut()) }
    func sleep() -> Bool { intake.sleep() }
    func rouse() -> Bool { intake.rouse() }
    func close() -> Bool { intake.close() }
    func close(ifStill word: IntakeWord) -> Bool { intake.close(ifStill: word) }
    func end() -> Bool { intake.end() }

    private static var notice: PendingReport { PendingReport(noticeOfDropsAt: .init(), scope: []) }

    private func numbers(_ batch: consuming MailboxBatch<PendingReport>) -> [Int] {
        var batch = batch
        var numbers: [Int] = []
        while let pending = batch.popFirst() { numbers.append((pending.error as? Numbered)?.number ?? -1) }
        return numbers
    }
}

/// An error that says which one it is, of whatever type.
protocol ErrorWithNumber: Error {
    var number: Int { get }
}

extension Numbered: ErrorWithNumber {}

/// Tells when everyone is through.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    var isOver: Bool { left.load(ordering: .acquiring) == 0 }

    func step() { left.wrappingSubtract(1, ordering: .releasing) }
}
