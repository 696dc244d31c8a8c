import Glibc
import Strands

/// Runs a scenario under each schedule.
///
/// It is a depth-first search over the next thread and the value of each load.
///
/// The scenario's threads are coroutines, and only one runs at a time. A thread stops before each access to an atomic
/// or a lock (``stop(at:_:)``), and the search decides which thread takes its step. For the next schedule, the scenario
/// is arranged again, and the same decisions are repeated up to the last decision that has an untried alternative.
///
/// Three techniques make the search fast enough to be complete:
///
/// - An access is a decision only where threads compete, which means that other accesses don't order theirs. The
///   explorer discovers these locations: if it finds another location, the search begins again.
/// - Without a bound on preemptions, schedules that differ only in the order of independent steps count as one
///   schedule.
/// - With a bound, interruptions of a thread that could continue are limited. Most faults need only one or two
///   interruptions.
package final class Explorer {
    package static let maximumThreads = 8
    /// The limit on steps, which detects a thread that waits for another thread in a loop.
    static let maximumSteps = 20_000

    /// The explorer of the running scenario thread; nil if no such thread is running, as between schedules.
    package private(set) static var active: Explorer? {
        @inline(__always) get { unsafe running }
        @inline(__always) set { unsafe running = newValue }
    }
    nonisolated(unsafe) private static var running: Explorer?

    /// The explorer that is exploring; nil if there is none.
    package private(set) static var exploring: Explorer? {
        get { unsafe started }
        set { unsafe started = newValue }
    }
    nonisolated(unsafe) private static var started: Explorer?

    /// The number of the running thread, starting at 1; 0 if no scenario thread is running.
    package static var thread: Int { active?.current ?? 0 }

    /// A thread's next action.
    enum Step: UInt8 { case begin, read, change, wait, lock, end }

    @safe struct Thread {
        var strand: OpaquePointer?
        var body: (() -> Void)?
        var step = Step.end
        /// The location of the next step.
        var location: UnsafeMutablePointer<Location>?
        /// The condition that the thread is waiting for; nil if it isn't waiting for a condition.
        var condition: (() -> Bool)?
    }

    let bound: Bound
    let replayed: Schedule?

    // The search

    var path: [Decision] = []
    var depth = 0
    /// All decisions of this execution, as the choices of a schedule.
    var taken: [Schedule.Choice] = []
    var report = Report()
    /// The failure of this execution.
    var failure: String?
    /// Whether this is the explorer's first execution, which isn't counted.
    var isRehearsal = true
    /// Whether the search must begin again, because another location was found at which threads compete.
    var isToBeginAnew = false

    // The execution

    var threads = [Thread](repeating: Thread(), count: Explorer.maximumThreads)
    var threadCount = 0
    /// The number of the running thread; 0 for the search itself and the closures that it calls between steps.
    var current = 0
    var clocks = [VectorClock](repeating: VectorClock(), count: Explorer.maximumThreads)
    var steps = 0
    var (preemptionsLeft, staleReadsLeft) = (0, 0)
    /// The steps taken in this execution.
    var events: [Event] = []
    /// For each thread, the steps that precede its next step.
    var orders = [VectorClock](repeating: VectorClock(), count: Explorer.maximumThreads)
    /// The threads, as bits, whose next step was already tried in an equivalent schedule.
    var asleep: UInt8 = 0
    /// Whether an equivalent schedule was explored, so that this schedule only runs to its end.
    var isRedundant = false
    var isBeginning = false
    var invariant: (() -> Void)?
    /// Whether an atomic or a lock has changed since the invariant was last checked.
    var hasChanged = false
    var locations = Locations()
    var stores: [Store] = []
    var trace: [Trace.Step]?

    package init(_ bound: Bound, replaying schedule: Schedule? = nil) {
        (self.bound, replayed) = (bound, schedule)
        if schedule != nil { trace = [] }
        unsafe threads[0].strand = strand_of_caller()
    }

    // MARK: The search

    /// Explores the schedules within the bound until a schedule fails or the processor time runs out.
    package func explore(_ scenario: Scenario, within seconds: Double = .infinity) -> Report {
        let start = Self.processorTime()
        Explorer.exploring = self
        defer { Explorer.exploring = nil }
        repeat {
            run(scenario)
            if failure == nil, isRehearsal {
                endRehearsal()
                continue
            }
            report.schedules += 1
            if isRedundant { report.redundant += 1 }
            report.steps += steps
            if failure != nil || replayed != nil { break }
            if isToBeginAnew {
                (path, isToBeginAnew) = ([], false)
                report.restarts += 1
            } else if !backtrack() {
                report.isComplete = true
            }
        } while !report.isComplete
            && (report.schedules & 255 != 0 || Self.processorTime() - start < seconds)
        report.failure = failure
        if failure != nil { report.schedule = schedule }
        report.seconds = Self.processorTime() - start
        return report
    }

    /// Discards the results of the first execution, which also created the objects that exist once per process.
    private func endRehearsal() {
        (isRehearsal, isToBeginAnew, path) = (false, false, [])
        locations.setContended(replayed?.contended ?? [])
        if trace != nil { trace = [] }
    }

    private static func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The steps of the replayed schedule.
    package var replayedSteps: Trace { Trace(steps: trace ?? []) }

    /// The schedule so far.
    package var schedule: Schedule { Schedule(locations.contendedNames, taken) }

    // MARK: One execution

    private func run(_ scenario: Scenario) {
        locations.beginExecution()
        stores.removeAll(keepingCapacity: true)
        taken.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        (depth, steps, failure, asleep, isRedundant) = (0, 0, nil, 0, false)
        (preemptionsLeft, staleReadsLeft) = (bound.preemptions ?? 0, bound.staleReads)
        frees_defer(true)
        perform(scenario.arrange())
        frees_defer(false)
        frees_carry_out()
        if failure == nil, !scenario.isReleased() { failure = "not everything was released" }
    }

    private func perform(_ execution: consuming Execution) {
        threadCount = execution.threads.count + 1
        precondition(threadCount <= Self.maximumThreads)
        invariant = execution.invariant
        for index in 1..<threadCount {
            threads[index].body = execution.threads[index - 1]
            threads[index].step = .begin
            // Order each thread after the arrangement of the shared state.
            clocks[index] = VectorClock()
            clocks[index][index] = 1
            orders[index] = VectorClock()
            if unsafe threads[index].strand == nil { unsafe threads[index].strand = makeStrand(of: index) }
        }
        // Run each thread until it first competes with another thread: the steps before that don't need a decision.
        isBeginning = true
        for index in 1..<threadCount where failure == nil { switchTo(index) }
        isBeginning = false
        if failure == nil { switchTo(nextThread()) }
        if failure == nil { execution.check() }
        invariant = nil
    }

    /// Reports this execution as failed.
    ///
    /// If a scenario thread calls it, that thread doesn't continue.
    package func fail(_ text: String) {
        if failure == nil { failure = text }
        if current != 0 { switchTo(0) }
    }

    // MARK: Turns

    /// Announces the current thread's next action and returns when its turn comes.
    @inline(__always)
    func stop(at location: UnsafeMutablePointer<Location>?, _ step: Step) {
        unsafe (threads[current].location, threads[current].step) = unsafe (location, step)
        steps += 1
        if steps > Self.maximumSteps { fail("there is no end after \(steps) steps") }
        switchTo(isBeginning ? 0 : nextThread())
    }

    @inline(__always)
    func switchTo(_ next: Int) {
        let former = current
        if former == next { return }
        current = next
        Explorer.active = next == 0 ? nil : self
        unsafe strand_switch(threads[former].strand, threads[next].strand)
    }

    /// Calls a closure that accesses the threads' shared state between two steps.
    @inline(__always)
    func inBetween<Result>(_ body: () -> Result) -> Result {
        let (former, formerActive) = (current, Explorer.active)
        (current, Explorer.active) = (0, nil)
        defer { (current, Explorer.active) = (former, formerActive) }
        return body()
    }

    /// Creates a coroutine that runs the thread's body in each execution.
    private func makeStrand(of index: Int) -> OpaquePointer? {
        unsafe strand_make(
            {
                let index = Int(bitPattern: $0)
                while true { unsafe Explorer.active.unsafelyUnwrapped.runBody(of: index) }
            }, UnsafeMutableRawPointer(bitPattern: index), 1 << 20)
    }

    @inline(never)
    private func runBody(of index: Int) {
        callBody(of: index)
        unsafe (threads[index].step, threads[index].location) = (.end, nil)
        switchTo(isBeginning ? 0 : nextThread())
    }

    /// Calls a thread's body and releases the objects that it retains before the thread ends.
    @inline(never)
    private func callBody(of index: Int) { threads[index].body.take()?() }
}

/// The result of an exploration.
package struct Report: Sendable {
    package var schedules = 0
    /// The number of schedules that are equivalent to an explored schedule.
    package var redundant = 0
    package var steps = 0
    /// How often the search began again because it found another location at which threads compete.
    package var restarts = 0
    /// The processor time in seconds.
    package var seconds = 0.0
    package var isComplete = false
    package var failure: String?
    package var schedule: Schedule?
}
