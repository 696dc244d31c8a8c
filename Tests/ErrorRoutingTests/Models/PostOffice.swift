import Dispatch
import Synchronization
import TestSupport

@testable import ErrorRouting

/// A mailbox with the counter and the sleeping reader that a bus has around it.
final class PostOffice: Sendable {
    enum Step {
        case read
        case mayTryAgain
        case sleeps
    }

    let box: MailboxBox
    /// The places that held another element than their own.
    let wrong = Journal<Int>()
    private let capacity: Int
    private let next = Atomic<Int>(0)
    private let emptied = Atomic<Int>(0)
    private let wakeUps = DispatchSemaphore(value: 0)
    private let sleepCount = Atomic<Int>(0)
    private let wakeCount = Atomic<Int>(0)

    init(capacity: Int) {
        self.capacity = capacity
        box = MailboxBox(capacity: capacity)
    }

    /// Whether each sleep was ended once, and each element was read as it was written, and deallocated.
    var isInOrder: Bool {
        let (sleeps, wakes) = (sleepCount.load(ordering: .acquiring), wakeCount.load(ordering: .acquiring))
        return sleeps == wakes && wrong.entries.isEmpty && box.ends.alive == 0
    }

    /// Fills the next place, as soon as there is room.
    func post() {
        let place = next.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
        while place - emptied.load(ordering: .acquiring) >= capacity { yieldToOtherThreads() }
        if box.fill(place) == .filledForSleeper { wake() }
    }

    func wake() {
        wakeCount.wrappingAdd(1, ordering: .releasing)
        wakeUps.signal()
    }

    func waitForWakeUp() { wakeUps.wait() }

    /// Reads the element of a place, in turns by taking it and in place, or goes to sleep.
    func step(_ place: Int) -> Step {
        let number = Int64(place)
        guard let element = unsafe box.mailbox.element(at: number) else {
            guard box.sleep(at: place) else { return .mayTryAgain }
            sleepCount.wrappingAdd(1, ordering: .releasing)
            return .sleeps
        }
        let isRight: Bool
        if place % 2 == 0 {
            let item = unsafe element.pointee
            isRight = item.number == place && item.isWhole
            box.empty(place)
        } else {
            let item = box.mailbox.take(number)
            isRight = item.number == place && item.isWhole
        }
        if !isRight { wrong.note(place) }
        emptied.store(place + 1, ordering: .releasing)
        return .read
    }

    /// Waits for the element of a place, and reads it.
    func readOrSleep(_ place: Int) {
        while true {
            switch step(place) {
            case .read: return
            case .mayTryAgain: continue
            case .sleeps: waitForWakeUp()
            }
        }
    }
}
