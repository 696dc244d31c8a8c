import Synchronization

/// The rules of one handler or map.
///
/// A value on a list of nodes that grows at its end: a verb adds one node and shares the rest, and so does putting one
/// set on top of another. The list becomes a program when it is first dispatched through, and one with indexes at
/// the second time.
///
/// Unchecked for the cell's address: what is in it is read and written atomically.
@safe struct RuleSet: @unchecked Sendable {
    /// The lists of rules, in the order in which a dispatch goes through them.
    enum Stage: Int, Sendable, Hashable, CaseIterable {
        case rules, onNoMatch, always
    }

    private var last: RuleNode? {
        didSet { unsafe cell = last?.cell }
    }

    /// The last node's cell, without a way over the node: it would be retained.
    private var cell: ProgramCell?

    /// Which lists are not empty, a bit for each.
    private var stages: UInt8 = 0

    var isEmpty: Bool { last == nil }

    /// Whether there are rules in a stage.
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

    /// The set, not retained, for those who hold it elsewhere and must not retain it for a look at it.
    @safe struct Reference: @unchecked Sendable {
        // Unchecked for the addresses, as the set.
        private let cell: ProgramCell?
        private let last: Unmanaged<RuleNode>?

        fileprivate init(_ set: RuleSet) {
            unsafe cell = set.cell
            unsafe last = set.last.map { unsafe Unmanaged.passUnretained($0) }
        }

        /// The program for a dispatch that begins, which lives as long as the set.
        var program: Unmanaged<DispatchProgram> {
            if let cell = unsafe cell, let program = unsafe RuleNode.program(in: cell) { return unsafe program }
            return unsafe last?.takeUnretainedValue().makeProgram() ?? Unmanaged.passUnretained(DispatchProgram.empty)
        }

        /// The program for whoever goes on with a dispatch: it does not count as another use.
        var programInUse: Unmanaged<DispatchProgram> {
            if let cell = unsafe cell, let program = unsafe RuleNode.programInUse(in: cell) { return unsafe program }
            return unsafe program
        }
    }

    /// This set, not retained.
    var reference: Reference { Reference(self) }

    /// The program for a dispatch that begins, not retained: it lives as long as this set.
    var unretainedProgram: Unmanaged<DispatchProgram> {
        if let cell = unsafe cell, let program = unsafe RuleNode.program(in: cell) { return unsafe program }
        return unsafe last?.makeProgram() ?? Unmanaged.passUnretained(DispatchProgram.empty)
    }

    /// The program for whoever goes on with a dispatch, or looks at the rules: it does not count as another use.
    var programInUse: Unmanaged<DispatchProgram> { unsafe reference.programInUse }
}

/// Where a program's address is once the rules are used; 0 before, and odd after the first use.
private typealias ProgramCell = UnsafeMutablePointer<Atomic<UInt>>

/// A link in the list of registrations.
///
/// Unchecked for its links, which change once, at the end of its life.
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
        // Link by link, since a list of many thousands, or as many sets on top of each other, would otherwise end in as
        // deep a recursion.
        var sets: [RuleNode] = []
        var next = takeLinks(&sets) ?? sets.popLast()
        while next != nil {
            if isKnownUniquelyReferenced(&next) { next = next?.takeLinks(&sets) } else { next = nil }
            if next == nil { next = sets.popLast() }
        }
    }

    /// Hands over what the node holds of others, at the end of its life: the one before it, and the end of a set.
    private func takeLinks(_ sets: inout [RuleNode]) -> RuleNode? {
        if case .set(let last) = content.take() { sets.append(last) }
        return previous.take()
    }

    /// Makes the program for a dispatch.
    ///
    /// The first one reads the rules as they come: most handlers that are made for a request are used once, and to
    /// index their rules costs many times what that use does. From the second on they are looked up.
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
            // The new one keeps the first.
            if found != 0 { unsafe first?.release() }
            return unsafe made
        }
        // Two may compile at once; the first one's program is the one that counts.
        unsafe made.release()
        return unsafe Self.program(other & ~Self.firstUse) ?? Unmanaged.passUnretained(DispatchProgram.empty)
    }

    /// Marks the address of a program for the first use.
    private static let firstUse: UInt = 1

    /// The program, if the rules were used more than once.
    @inline(__always)
    static func program(in cell: ProgramCell) -> Unmanaged<DispatchProgram>? {
        let bits = unsafe cell.pointee.load(ordering: .acquiring)
        return unsafe bits & firstUse == 0 ? program(bits) : nil
    }

    /// The program, if the rules were used at all.
    static func programInUse(in cell: ProgramCell) -> Unmanaged<DispatchProgram>? {
        unsafe program(cell.pointee.load(ordering: .acquiring) & ~firstUse)
    }

    private static func program(_ bits: UInt) -> Unmanaged<DispatchProgram>? {
        unsafe UnsafeRawPointer(bitPattern: bits).map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// Collects the rules from the last registered to the first, and compiles them.
    ///
    /// - Parameter first: The program of the first use; nil if this is it.
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
            // On top of what is before the node, so it is taken next.
            case .set(let last): pending.append(last)
            case nil: break
            }
        }
        return DispatchProgram(
            rules: lists[RuleSet.Stage.rules.rawValue],
            onNoMatch: lists[RuleSet.Stage.onNoMatch.rawValue],
            always: lists[RuleSet.Stage.always.rawValue],
            isIndexed: false
        )
    }
}
