import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// An intake for numbered errors, whose results can be compared, and the place that its reader is at.
final class IntakeBox: Sendable {
    enum Reservation: Equatable {
        case accepted(Int)
        case full(makesNotice: Bool)
        case closed

        /// Reserves a place in an intake, and counts a drop as the bus does.
        init(_ intake: borrowing BusIntake, for error: any Error) {
            self =
                switch intake.reserve() {
                case .accepted(let place): .accepted(Int(place))
                case .full: .full(makesNotice: intake.drops.add(type(of: error)))
                case .closed: .closed
                }
        }

        var place: Int? { if case .accepted(let place) = self { place } else { nil } }
    }

    typealias FillResult = Mailbox<Posting>.FillResult

    let intake: BusIntake
    /// The place that the reader looks at next; nobody else writes to it.
    private let next = Atomic<Int>(0)

    init(capacity: Int) { intake = BusIntake(capacity: capacity) }

    // MARK: Posters

    func reserve(_ number: Int) -> Reservation { Reservation(intake, for: Numbered(number)) }

    private func fill(_ place: Int, with number: Int) -> FillResult {
        let answer = intake.mailbox.fill(Int64(place), with: Self.posting(Numbered(number)))
        if answer == .refused { expect(Self.number(of: intake.mailbox.reclaim(Int64(place))), equals: number) }
        return answer
    }

    /// Reserves a place and fills it; returns nil if the error was not accepted.
    @discardableResult
    func post(_ number: Int) -> FillResult? { reserve(number).place.map { fill($0, with: number) } }

    // MARK: The reader

    /// Takes what has its turn; nil if it is not there.
    func take() -> Int? {
        let place = next.load(ordering: .relaxed)
        guard intake.mailbox.isFilled(at: Int64(place)) else { return nil }
        next.store(place + 1, ordering: .relaxed)
        return Self.number(of: intake.mailbox.take(Int64(place)))
    }

    func takeAll() -> [Int] {
        var numbers: [Int] = []
        while let number = take() { numbers.append(number) }
        return numbers
    }

    func release(_ count: Int) { intake.publishReleased(Int64(count)) }
    func close() -> Bool { intake.update { $0.close() } }
    func close(ifStill word: IntakeWord) -> Bool { intake.close(ifStill: word) }

    // MARK: What lies in it

    /// Returns what a poster puts into its place.
    static func posting(
        _ error: any Error,
        line: UInt = 1,
        at moment: Duration = .zero,
        isWaitedFor: Bool = false
    ) -> Posting {
        Posting(
            error,
            at: .init(fileID: "M/A.swift", line: line),
            promise: isWaitedFor ? Promise() : nil,
            floodStamp: (ErrorCode(of: error), moment.nanoseconds)
        )
    }

    private static func number(of posting: Posting) -> Int { (posting.error as? Numbered)?.number ?? -2 }
}

/// An error that says which one it is, of whatever type.
protocol ErrorWithNumber: Error {
    var number: Int { get }
}

extension Numbered: ErrorWithNumber {}

/// A count down to the moment when everyone has finished.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    var isOver: Bool { left.load(ordering: .acquiring) == 0 }

    func step() { left.wrappingSubtract(1, ordering: .releasing) }
}
