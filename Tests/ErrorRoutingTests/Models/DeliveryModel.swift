/// What posters, the worker in the lane and a shutdown do to the intake's word, the mailbox's slots, the lane's
/// position and its counts, one atomic step at a time; a plain value, so that every interleaving can be tried.
///
/// There are two ends with a count each: reports 0 and 1 come to the first, 2 and 3 to the second. So the last end may
/// be the one before it again, or not. Since the first report has the number 0, the number of a report in delivery is
/// also how many came to an end before it.
struct DeliveryModel: Hashable {
    /// A step that is done wrong, so that a test can see that the search finds it.
    enum Flaw: CaseIterable {
        /// The worker stores `asleep` without looking whether the slot was filled meanwhile.
        case sleepsWithoutLooking
        /// A shutdown leaves the count of the last report to the worker.
        case withdrawsWithoutCounting
        /// A shutdown looks whether the last report is missing in the counts' sum, and if so adds one to its count.
        case addsWhatIsMissing
        /// A shutdown takes the last report's count for one that the worker does not write any more.
        case readsTheLastCount
        /// The worker counts a report before it has swapped the position.
        case countsBeforeTheSwap
        /// The worker empties a report's slot before it has gone on to the next.
        case emptiesBeforeTheSwap
        /// A poster does not look whether its slot was shut.
        case fillsShutSlots
        /// There is no slot for the report that is being emptied while the next one is in delivery.
        case hasTooFewSlots
    }

    private enum Slot { case empty, asleep, filled, shut }
    private enum Position: Hashable { case closed, at(Int, after: Int), withdrawn }
    private enum End: Hashable { case counted(Int), givenBack, refused }
    private enum Holder { case nobody, worker, shutdown }

    private enum Poster: Hashable {
        case reserves(left: Int), fills(Int, left: Int), wakes(left: Int), takesItsPostingOut(Int, left: Int)
    }

    private enum Worker: Hashable {
        case asks, decides, fallsAsleep, sleeps
        case looks(at: Int), reads(at: Int), swaps(at: Int, count: Int), counts(at: Int, count: Int)
        case releases(after: Int)
        case empties(Int), leaves(at: Int), closes(at: Int), leavesWithdrawn(at: Int), stopped
    }

    private enum Shutdown: Hashable {
        case begins, withdraws, sums(at: Int, last: Int), adds(at: Int, last: Int)
        case counts(at: Int, last: Int, count: Int), takesBack(Int), closes, takes(Int, end: Int), done
    }

    private let flaw: Flaw?
    private let capacity: Int
    private var (isClosed, accepted, released) = (false, 0, 0)
    private var slots: [Slot]
    private var position = Position.closed
    /// How many reports came to each of the two ends.
    private var counts = [0, 0]
    private var (lock, next, isWoken) = (Holder.nobody, 0, false)
    private var posters: [Poster]
    private var worker = Worker.asks
    private var shutdown: Shutdown
    /// What became of each accepted report.
    private var ends: [End?] = []
    /// The first promise that was broken.
    private(set) var violation: String?

    init(posters: Int, posts: Int, capacity: Int, isShutDown: Bool, flaw: Flaw? = nil) {
        self.flaw = flaw
        self.capacity = capacity
        // The report in delivery takes no capacity, and the one before it is emptied after it has begun.
        slots = Array(repeating: .empty, count: capacity + (flaw == .hasTooFewSlots ? 1 : 2))
        self.posters = Array(repeating: .reserves(left: posts), count: posters)
        shutdown = isShutDown ? .begins : .done
    }

    /// The states to which one step of any thread leads.
    var successors: [DeliveryModel] {
        var states = posters.indices.compactMap { index in after { $0.stepPoster(index) } }
        states += [after { $0.stepWorker() }, after { $0.stepShutdown() }].compactMap(\.self)
        return states.map { $0.checked }
    }

    /// What is broken in a state that has no successor; nil if all is well.
    var violationAtTheEnd: String? {
        if let number = ends.firstIndex(of: nil) { return "report \(number) has no end" }
        return worker == .stopped || worker == .sleeps ? nil : "the worker waits for ever"
    }

    private func after(_ step: (inout DeliveryModel) -> Bool) -> DeliveryModel? {
        var state = self
        return step(&state) ? state : nil
    }

    /// Whoever reads the counts after a shutdown finds them exact, however late the worker is.
    private var checked: DeliveryModel {
        let exact = [0, 1].map { end in ends.count { $0 == .counted(end) } }
        if !ends.contains(.givenBack) || shutdown != .done || counts == exact { return self }
        var state = self
        state.violation = state.violation ?? "\(counts) are counted of \(exact)"
        return state
    }

    private subscript(number: Int) -> Slot {
        get { slots[number % slots.count] }
        set { slots[number % slots.count] = newValue }
    }

    /// Which of the two counted ends a report comes to.
    private static func kind(of number: Int) -> Int { number / 2 % 2 }

    private mutating func end(_ number: Int, _ end: End) {
        if ends[number] != nil { violation = violation ?? "report \(number) ends twice" }
        ends[number] = end
    }

    // MARK: A poster

    private mutating func stepPoster(_ index: Int) -> Bool {
        switch posters[index] {
        case .reserves(left: 0):
            return false
        case .reserves(let left):
            posters[index] = .reserves(left: left - 1)
            if isClosed || accepted - released >= capacity { return true }
            posters[index] = .fills(accepted, left: left - 1)
            ends.append(nil)
            accepted += 1
        case .fills(let number, let left):
            let found = self[number]
            posters[index] = .reserves(left: left)
            if found == .filled { violation = violation ?? "the slot of \(number) is filled twice" }
            if found == .shut, flaw != .fillsShutSlots { posters[index] = .takesItsPostingOut(number, left: left) }
            if found == .asleep { posters[index] = .wakes(left: left) }
            self[number] = .filled
        case .wakes(let left):
            isWoken = true
            posters[index] = .reserves(left: left)
        case .takesItsPostingOut(let number, let left):
            self[number] = .shut
            end(number, .refused)
            posters[index] = .reserves(left: left)
        }
        return true
    }

    // MARK: The worker

    private mutating func stepWorker() -> Bool {
        switch worker {
        case .stopped:
            return false
        case .sleeps:
            guard isWoken else { return false }
            (isWoken, worker) = (false, .asks)
        case .asks:
            return lock(for: .worker) { $0.worker = .decides }
        case .decides:
            if isClosed {
                (lock, worker) = (.nobody, .stopped)
            } else if self[next] == .filled {
                (position, released) = (.at(next, after: 0), next + 1)
                (lock, worker) = (.nobody, .looks(at: next))
            } else {
                worker = .fallsAsleep
            }
        case .fallsAsleep:
            if self[next] == .filled, flaw != .sleepsWithoutLooking {
                worker = .decides
            } else {
                self[next] = .asleep
                (lock, worker) = (.nobody, .sleeps)
            }
        case .looks(let number):
            worker = self[number + 1] == .filled ? .reads(at: number) : .leaves(at: number)
        case .reads(let number):
            let kind = Self.kind(of: number)
            worker = .swaps(at: number, count: counts[kind])
            if flaw == .countsBeforeTheSwap { counts[kind] += 1 }
            if flaw == .emptiesBeforeTheSwap { self[number] = .empty }
        case .swaps(let number, let count):
            worker = .leavesWithdrawn(at: number)
            guard case .at = position else { return true }
            position = .at(number + 1, after: Self.kind(of: number))
            end(number, .counted(Self.kind(of: number)))
            worker = .counts(at: number, count: count)
        case .counts(let number, let count):
            counts[Self.kind(of: number)] = count + 1
            worker = .releases(after: number)
        case .releases(let number):
            released = number + 2
            worker = .empties(number)
        case .empties(let number):
            self[number] = .empty
            worker = .looks(at: number + 1)
        case .leaves(let number):
            return lock(for: .worker) { $0.worker = .closes(at: number) }
        case .closes(let number):
            if case .at = position {
                position = .closed
                self[number] = .empty
                counts[Self.kind(of: number)] += 1
                end(number, .counted(Self.kind(of: number)))
                (next, worker) = (number + 1, .decides)
            } else {
                (lock, worker) = (.nobody, .leavesWithdrawn(at: number))
            }
        case .leavesWithdrawn(let number):
            return lock(for: .nobody) {
                $0[number] = .shut
                $0.worker = .stopped
            }
        }
        return true
    }

    /// Takes the lock for a thread, or, for nobody, does something under the lock in one step.
    private mutating func lock(for holder: Holder, _ body: (inout DeliveryModel) -> Void) -> Bool {
        guard lock == .nobody else { return false }
        lock = holder
        body(&self)
        return true
    }

    // MARK: A shutdown

    private mutating func stepShutdown() -> Bool {
        switch shutdown {
        case .done:
            return false
        case .begins:
            return lock(for: .shutdown) { $0.shutdown = .withdraws }
        case .withdraws:
            shutdown = .closes
            if case .at(let number, let last) = position { shutdown = .sums(at: number, last: last) }
            position = .withdrawn
        case .sums(let number, let last):
            shutdown = .counts(at: number, last: last, count: number - counts[1 - last])
            switch flaw {
            case .withdrawsWithoutCounting:
                shutdown = .takesBack(number)
            case .addsWhatIsMissing:
                shutdown = counts[0] + counts[1] < number ? .adds(at: number, last: last) : .takesBack(number)
            case .readsTheLastCount:
                shutdown = .counts(at: number, last: 1 - last, count: number - counts[last])
            default: break
            }
        case .adds(let number, let last):
            shutdown = .counts(at: number, last: last, count: counts[last] + 1)
        case .counts(let number, let last, let count):
            counts[last] = count
            shutdown = .takesBack(number)
        case .takesBack(let number):
            shutdown = .closes
            if self[number] != .filled { violation = violation ?? "\(number) is taken back from an empty slot" }
            end(number, .givenBack)
            next = number + 1
        case .closes:
            isClosed = true
            shutdown = .takes(next, end: accepted)
        case .takes(let number, let limit) where number < limit:
            if self[number] == .filled { end(number, .givenBack) }
            self[number] = .shut
            shutdown = .takes(number + 1, end: limit)
        case .takes:
            (lock, isWoken, shutdown) = (.nobody, true, .done)
        }
        return true
    }
}
