import Synchronization

/// The steps to try for errors of one dynamic type, and where to look up others: made for the first error of the type.
///
/// Unchecked, since the compiler cannot know that the memory of the steps does not change.
@safe final class TypePlan: @unchecked Sendable {
    /// The steps that need no look-up, of rules that match by the type alone or that have to be asked.
    ///
    /// This and the next are read without retaining the objects that own them, which `kept` retains.
    let fixed: RuleStepList
    /// The other steps; nil if there are none.
    let lookUp: Unmanaged<StepIndex>?
    private let kept: (fixed: RuleSteps, lookUp: StepIndex?)
    /// Whether the type is a class: then a content of that static type may be an object of a subclass.
    let isOfClass: Bool
    /// Whether an asynchronous rule could be reached.
    let mayBeAsynchronous: Bool
    /// Whether to look up the other steps bridges the error, which is done once for a dispatch.
    let bridges: Bool

    /// - Parameters:
    ///   - fixed: The steps that need no look-up.
    ///   - lookUp: The other steps.
    ///   - type: The dynamic type.
    ///   - hasAsynchronousFallback: Whether any `onNoMatch` or `always` rule is asynchronous.
    init(_ fixed: RuleSteps, _ lookUp: StepIndex?, of type: Any.Type, hasAsynchronousFallback: Bool) {
        self.fixed = fixed.list
        unsafe self.lookUp = unsafe lookUp.map { unsafe Unmanaged.passUnretained($0) }
        kept = (fixed, lookUp)
        isOfClass = type is AnyClass
        bridges = lookUp is CodeIndex
        mayBeAsynchronous = hasAsynchronousFallback || fixed.hasAsynchronous || lookUp?.hasAsynchronous ?? false
    }

    /// Returns the steps for an error.
    @inline(__always)
    func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) -> RuleStepCursor {
        guard let lookUp = unsafe lookUp else { return RuleStepCursor(fixed) }
        return RuleStepCursor(
            fixed, unsafe lookUp._withUnsafeGuaranteedRef { unsafe $0.steps(for: content, error, report) })
    }
}

/// The plans by dynamic type, read without a lock and written under one.
///
/// Grows by doubling. Old tables are kept, since readers may still use them; together they are no larger than the
/// newest. A noncopyable value rather than an object, which would be retained for every call.
struct PlanTable: ~Copyable, Sendable {
    private struct State {
        /// All tables, the newest last.
        var tables: [ProbeTable] = []
        /// How many plans the newest table has room for.
        var room = 2
        /// All plans, retained here; larger tables are filled from these.
        var plans: [(key: UInt, plan: TypePlan)] = []
    }

    /// The newest table's address; 0 before the first plan.
    private let current = Atomic<UInt>(0)
    private let state = Locked(State())

    deinit {
        state.withLock { state in
            for table in state.tables { table.deallocate() }
        }
    }

    /// The plan for a type, if there is one.
    @inline(__always)
    subscript(type: Any.Type) -> Unmanaged<TypePlan>? { unsafe find(UInt(bitPattern: ObjectIdentifier(type))) }

    @inline(__always)
    private func find(_ key: UInt) -> Unmanaged<TypePlan>? {
        guard let table = ProbeTable(at: current.load(ordering: .acquiring)) else { return nil }
        return unsafe UnsafeRawPointer(bitPattern: table.find(key)).map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// Adds a plan for a type unless there is one already, and returns the one in the table.
    func insert(_ plan: TypePlan, for type: Any.Type) -> Unmanaged<TypePlan> {
        let key = UInt(bitPattern: ObjectIdentifier(type))
        return unsafe state.withLock { state in
            if let plan = unsafe find(key) { return unsafe plan }
            state.plans.append((key, plan))
            if let table = state.tables.last, state.plans.count <= state.room {
                Self.insert(plan, for: key, into: table)
            } else {
                grow(&state)
            }
            return unsafe Unmanaged.passUnretained(plan)
        }
    }

    private func grow(_ state: inout State) {
        state.room *= 2
        let table = ProbeTable(room: state.room)
        for entry in state.plans { Self.insert(entry.plan, for: entry.key, into: table) }
        state.tables.append(table)
        current.store(table.address, ordering: .releasing)
    }

    private static func insert(_ plan: TypePlan, for key: UInt, into table: ProbeTable) {
        table.insert(unsafe UInt(bitPattern: Unmanaged.passUnretained(plan).toOpaque()), for: key)
    }
}
