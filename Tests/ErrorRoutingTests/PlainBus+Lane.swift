@testable import ErrorRouting

/// The lane.
extension PlainBus {
    func enterLane(_ generation: UInt64) -> Event {
        let (number, sequence) = machine.beginInLane()
        box.intake.release(machine.counters.released)
        lane.open(at: number, sequence: sequence)
        return beganInLane(number, generation)
    }

    /// From one report to the next without the machine, as the worker does it where the lane lets it.
    ///
    /// - Returns: The next report, or that the lane was withdrawn; nil if there is none in the lane, or no lane.
    func goOn(_ disposition: HandleOutcome.Disposition = .handled) -> Event? {
        guard let (number, generation) = inLane, !isObserved else { return nil }
        switch lane.goOn(from: number, disposition, in: box.intake) {
        case .next:
            mailbox.empty(number)
            return beganInLane(number + 1, generation)
        case .last:
            return nil
        case .withdrawn:
            inLane = nil
            return .superseded
        }
    }

    private func beganInLane(_ number: Int64, _ generation: UInt64) -> Event {
        inLane = (number, generation)
        let posting = unsafe mailbox.element(at: number).pointee
        report = posting.report(sequence: lane.sequence(of: number))
        (progress, isWaitedFor) = (DispatchProgress(), false)
        return .error(Self.number(of: posting.error) ?? -1, occurrences: 1)
    }

    /// The worker is at a report that needs more than the lane, and has not begun with it.
    func leaveLane() -> Event {
        guard let posting = closeLane() else { return .superseded }
        return began(machine.deliverFromLane(posting), from: DispatchProgress())
    }

    func closeLane() -> Posting? {
        inLane = nil
        guard let number = lane.close(), let posting = mailbox.take(number) else { return nil }
        machine.laneClosed(at: number)
        return posting
    }
}
