import Synchronization

/// The rules of one handler or map.
///
/// A value that refers to the last node of a list: adding a rule, or another set on top, adds one node and shares the
/// rest. The list is compiled to a program at the first dispatch, and to one with indexes at the second.
///
/// Unchecked for the cell's address: the cell is read and written atomically.
@safe struct RuleSet: @unchecked Sendable {
    /// The lists of rules, in the order in which a dispatch goes through them.
    enum Stage: Int, Sendable, Hashable, CaseIterable {
        case rules, onNoMatch, always
    }

    private var last: RuleNode? {
        didSet { unsafe cell = last?.cell }
    }

    /// The last node's cell, kept here since reading it through the node would retain the node.
    private var cell: ProgramCell?

    /// Which stages have rules, a bit for each.
    private var stages: UInt8 = 0

    var isEmpty: Bool { last == nil }

    /// Returns whether a stage has rules.
    func has(_ stage: Stage) -> Bool { stages & 1 << stage.rawValue != 0 }

    mutating func add(_ rule: Rule, to stage: Stage) {
        last = RuleNode(.rule(rule, stage), after: last)
        stages |= 1 << stage.rawValue
    }

    /// Adds another set's rules as if they had been registered after these.
    mutating func append(_ later: RuleSet) {
        guard let laterNode = later.last else { return }
        last = last == nil ? laterNode : RuleNode(.set(laterNode), after: last)
        stages |= later.stages
    }

    /// A stage's rules in the order in which they are tried: the last registered first.
    subscript(stage: Stage) -> [Rule] {
        let program = unsafe programInUse.takeUnretainedValue()
        return switch stage {
        case .rules: program.rules
        case .onNoMatch: program.onNoMatch.rules
        case .always: program.always.rules
        }
    }

    /// An unretained reference to a set, for callers that hold the set elsewhere and must not retain it to read it.
    @safe struct Reference: @unchecked Sendable {
        // Unchecked for the addresses, as the set is.
        private let cell: ProgramCell?
        private let last: Unmanaged<RuleNode>?

        fileprivate init(_ set: RuleSet) {
            unsafe cell = set.cell
            unsafe last = set.last.map { unsafe Unmanaged.passUnretained($0) }
        }

        /// The program for a dispatch that begins; it lives as long as the set.
        var program: Unmanaged<DispatchProgram> {
            if let cell = unsafe cell, let program = unsafe RuleNode.program(in: cell) { return unsafe program }
            return unsafe last?.takeUnretainedValue().makeProgram() ?? Unmanaged.passUnretained(DispatchProgram.empty)
        }

        /// The program for a dispatch that goes on, which does not count as another use.
        var programInUse: Unmanaged<DispatchProgram> {
            if let cell = unsafe cell, let program = unsafe RuleNode.programInUse(in: cell) { return unsafe program }
            return unsafe program
        }
    }

    /// An unretained reference to this set.
    var reference: Reference { Reference(self) }

    /// The program for a dispatch that begins; it lives as long as this set.
    var unretainedProgram: Unmanaged<DispatchProgram> {
        if let cell = unsafe cell, let program = unsafe RuleNode.program(in: cell) { return unsafe program }
        return unsafe last?.makeProgram() ?? Unmanaged.passUnretained(DispatchProgram.empty)
    }

    /// The program for a dispatch that goes on, or for reading the rules, neither of which counts as another use.
    var programInUse: Unmanaged<DispatchProgram> { unsafe reference.programInUse }
}

// MARK: - Dispatch

/// A walk refers to programs and rules that live as long as the set, which each dispatch keeps alive to its end.
extension RuleSet {
    /// Tries the rules in order, unless by the error's type alone an asynchronous one could be reached.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - origin: What the error's report is made from.
    /// - Returns: The outcome; nil, and no action has run, if an asynchronous rule could be reached.
    @inline(__always)
    func dispatchIfSynchronous<Origin: ReportMaker>(
        _ error: any Error, _ origin: @autoclosure () -> Origin
    ) -> HandleOutcome? {
        defer { withExtendedLifetime(self) {} }
        return unsafe DispatchWalk.runIfSynchronous(error, through: unretainedProgram, origin())
    }

    /// Tries the rules in order without suspending, unless an asynchronous one is for the error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - origin: What the error's report is made from.
    /// - Returns: The outcome; nil, and no action has run, if an asynchronous rule is for the error.
    func dispatchSynchronously<Origin: ReportMaker>(_ error: any Error, _ origin: Origin) -> HandleOutcome? {
        if let outcome = dispatchIfSynchronous(error, origin) { return outcome }
        defer { withExtendedLifetime(self) {} }
        var walk = unsafe DispatchWalk(programInUse, on: nil, error, from: DispatchProgress())
        if walk.needsSuspension() { return nil }
        unsafe withUnsafePointer(to: origin) { origin in
            var report = unsafe LazyReport(keptAt: origin, by: Origin.self)
            _ = walk.finish(&report, under: nil, skipsAsynchronous: true)
        }
        return walk.progress.outcome
    }

    /// Tries the rules in order on the caller's executor, without a time limit.
    func dispatch<Origin: ReportMaker>(_ error: any Error, _ origin: Origin) async -> HandleOutcome {
        defer { withExtendedLifetime(self) {} }
        return await unsafe DispatchWalk.run(error, through: programInUse, origin)
    }
}

/// A cell for a program's address: 0 before the first use of the rules, odd after it, and even after the second.
private typealias ProgramCell = UnsafeMutablePointer<Atomic<UInt>>

/// A node in the list of registrations.
///
/// Unchecked for its links, which change only while the list is deallocated.
@safe private final class RuleNode: @unchecked Sendable {
    enum Content {
        case rule(Rule, RuleSet.Stage)
        case set(RuleNode)
    }

    private var content: Content?
    private var previous: RuleNode?
    let cell: ProgramCell

    init(_ content: Content, after previous: RuleNode?) {
        self.content = content
        self.previous = previous
        unsafe cell = .allocate(capacity: 1)
        unsafe cell.initialize(to: Atomic(0))
    }

    deinit {
        unsafe Self.program(cell.pointee.load(ordering: .acquiring) & ~Self.firstUse)?.release()
        unsafe cell.deinitialize(count: 1)
        unsafe cell.deallocate()
        // Node by node, since to release a list of thousands of rules, or thousands of sets on top of each other, would
        // otherwise recurse as deep.
        var sets: [RuleNode] = []
        var next = takeLinks(&sets) ?? sets.popLast()
        while next != nil {
            if isKnownUniquelyReferenced(&next) { next = next?.takeLinks(&sets) } else { next = nil }
            if next == nil { next = sets.popLast() }
        }
    }

    /// Takes the links of a node that is deallocated: returns the previous node, and adds a set's last one to `sets`.
    private func takeLinks(_ sets: inout [RuleNode]) -> RuleNode? {
        if case .set(let last) = content.take() { sets.append(last) }
        return previous.take()
    }

    /// Returns the program for a dispatch that begins, compiled at the first use, and with indexes at the second.
    ///
    /// The first one has no indexes: most handlers that are made for a request are used once, and indexing their rules
    /// costs many times as much as that use.
    @inline(never)
    func makeProgram() -> Unmanaged<DispatchProgram> {
        let found = unsafe cell.pointee.load(ordering: .acquiring)
        let first = unsafe Self.program(found & ~Self.firstUse)
        if found != 0, found & Self.firstUse == 0, let program = unsafe first { return unsafe program }
        let made = unsafe Unmanaged.passRetained(compile(after: first?.takeUnretainedValue()))
        let (isFirst, other) = unsafe cell.pointee.compareExchange(
            expected: found,
            desired: UInt(bitPattern: made.toOpaque()) | (found == 0 ? Self.firstUse : 0),
            ordering: .acquiringAndReleasing
        )
        if isFirst {
            // The new program retains the first.
            if found != 0 { unsafe first?.release() }
            return unsafe made
        }
        // Of programs that are compiled at once, the first in the cell is used.
        unsafe made.release()
        return unsafe Self.program(other & ~Self.firstUse) ?? Unmanaged.passUnretained(DispatchProgram.empty)
    }

    /// The bit that marks the address of the program for the first use.
    private static let firstUse: UInt = 1

    /// Returns the program, if the rules were used more than once.
    @inline(__always)
    static func program(in cell: ProgramCell) -> Unmanaged<DispatchProgram>? {
        let bits = unsafe cell.pointee.load(ordering: .acquiring)
        return unsafe bits & firstUse == 0 ? program(bits) : nil
    }

    /// Returns the program, if the rules were used at all.
    static func programInUse(in cell: ProgramCell) -> Unmanaged<DispatchProgram>? {
        unsafe program(cell.pointee.load(ordering: .acquiring) & ~firstUse)
    }

    private static func program(_ bits: UInt) -> Unmanaged<DispatchProgram>? {
        unsafe UnsafeRawPointer(bitPattern: bits).map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// Collects the rules from the last registered to the first, and compiles them.
    ///
    /// - Parameter first: The program of the first use; nil at that use.
    private func compile(after first: DispatchProgram?) -> DispatchProgram {
        if let first {
            return DispatchProgram(
                rules: first.rules, onNoMatch: first.onNoMatch.rules, always: first.always.rules, after: first)
        }
        var lists: [[Rule]] = RuleSet.Stage.allCases.map { _ in [] }
        var pending = [self]
        while let node = pending.popLast() {
            if let previous = node.previous { pending.append(previous) }
            switch node.content {
            case .rule(let rule, let stage): lists[stage.rawValue].append(rule)
            // The set counts as registered after the nodes before this one, so its rules are collected first.
            case .set(let last): pending.append(last)
            case nil: break
            }
        }
        return DispatchProgram(
            rules: lists[RuleSet.Stage.rules.rawValue],
            onNoMatch: lists[RuleSet.Stage.onNoMatch.rawValue],
            always: lists[RuleSet.Stage.always.rawValue]
        )
    }
}
