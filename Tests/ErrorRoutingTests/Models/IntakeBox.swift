import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// An intake for numbered errors, with comparable results, and the position of its reader.
final class IntakeBox: Sendable {
    enum Reservation: Equatable {
        case accepted(Int)
        case full(makesNotice: Bool)
        case closed

        /// The result of reserving a slot in an intake, which counts a drop as the bus does.
        init(_ intake: borrowing BusIntake, for error: any Error) {
            self =
                switch intake.reserve() {
                case .accepted(let position): .accepted(Int(position))
                case .full: .full(makesNotice: intake.drops.add(type(of: error)))
                case .closed: .closed
                }
        }

        var position: Int? { if case .accepted(let position) = self { position } else { nil } }
    }

    typealias FillResult = Mailbox<Posting>.FillResult

    let intake: BusIntake
    /// The slot that the reader reads next; only the reader changes this.
    private let next = Atomic<Int>(0)

    init(capacity: Int) { intake = BusIntake(capacity: capacity) }

    // MARK: Callers

    func reserve(_ number: Int) -> Reservation { Reservation(intake, for: Numbered(number)) }

    private func fill(_ position: Int, with number: Int) -> FillResult {
        let answer = intake.mailbox.fill(Int64(position), with: Self.posting(Numbered(number)))
        if answer == .refused { expect(Self.number(of: intake.mailbox.reclaim(Int64(position))), equals: number) }
        return answer
    }

    /// Reserves a slot and fills it; returns nil if the error wasn't accepted.
    @discardableResult
    func post(_ number: Int) -> FillResult? { reserve(number).position.map { fill($0, with: number) } }

    // MARK: The reader

    /// Takes the next element, or returns nil if there is none.
    func take() -> Int? {
        let position = next.load(ordering: .relaxed)
        guard let posting = intake.mailbox.take(Int64(position)) else { return nil }
        next.store(position + 1, ordering: .relaxed)
        return Self.number(of: posting)
    }

    func takeAll() -> [Int] {
        var numbers: [Int] = []
        while let number = take() { numbers.append(number) }
        return numbers
    }

    func release(_ count: Int) { intake.publishReleased(Int64(count)) }
    func close() -> Bool { intake.close() }
    func close(ifStill word: IntakeWord) -> Bool { intake.close(ifStill: word) }

    // MARK: Contents

    /// Returns the posting that a caller stores in its slot.
    static func posting(
        _ error: any Error,
        line: UInt = 1,
        at time: Duration = .zero,
        isWaitedFor: Bool = false
    ) -> Posting {
        let source = ErrorReport.Source(fileID: "M/A.swift", line: line)
        var posting = Posting(
            UnboxedError(error), at: source, extras: Box(.init(promise: isWaitedFor ? Promise() : nil)))
        let kind = FloodKind(FloodKind.code(of: error), at: source, in: [])
        posting.limit(by: kind, at: time)
        return posting
    }

    private static func number(of posting: Posting) -> Int { (posting.error.error as? Numbered)?.number ?? -2 }
}

/// A numbered error of any type.
protocol ErrorWithNumber: Error {
    var number: Int { get }
}

extension Numbered: ErrorWithNumber {}

/// A countdown to the time when all threads have finished.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    var isOver: Bool { left.load(ordering: .acquiring) == 0 }

    func step() { left.wrappingSubtract(1, ordering: .releasing) }
}
