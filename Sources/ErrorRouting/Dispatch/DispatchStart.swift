/// How a dispatch has begun: the first rule was looked up and, if it needs nothing else, has acted.
///
/// Holds only machine words, so that the compiler returns it in registers. Each is used up by one dispatch: it owns
/// what an action has thrown until ``takeThrown()``.
@safe struct DispatchStart {
    /// The four after which no other rule of the handler is tried come first, so that one comparison tells them.
    enum Kind: UInt8 {
        /// No rule has acted, since none is for the error.
        case noMatch
        /// The first rule has acted and returned `.next`, and no other is for the error.
        case nextOfNone
        /// The first rule has acted, and is the last.
        case stopped, ignored
        /// The first rule has acted and returned `.next`.
        case next
        /// The first rule's action has thrown.
        case failed
        /// No rule has acted.
        case none
        /// No rule has acted: the first one is certain to match and needs no report, but is asynchronous.
        case suspends
        /// No rule has acted: an asynchronous one could be reached.
        case declined
        /// No rule has acted: the supervisor has superseded the dispatch.
        case superseded
    }

    let kind: Kind
    private let place: UnsafePointer<RuleStep>?
    private let end: UnsafePointer<RuleStep>?
    private let thrown: Unmanaged<Thrown>?

    private final class Thrown: Sendable {
        let error: any Error

        init(_ error: any Error) { self.error = error }
    }

    /// - Parameters:
    ///   - kind: How the dispatch has begun.
    ///   - place: The place of the first rule, or the first that was not tried.
    ///   - end: The end of the list in which the first rule is; nil if rules are looked up in other lists too.
    @inline(__always)
    init(_ kind: Kind, _ place: UnsafePointer<RuleStep>? = nil, _ end: UnsafePointer<RuleStep>? = nil) {
        self.kind = kind
        unsafe self.place = place
        unsafe self.end = end
        unsafe thrown = nil
    }

    @inline(never)
    init(throwing error: any Error, _ place: UnsafePointer<RuleStep>, _ end: UnsafePointer<RuleStep>?) {
        kind = .failed
        unsafe self.place = place
        unsafe self.end = end
        unsafe thrown = .passRetained(Thrown(error))
    }

    /// How the dispatch has begun once the first rule has given its answer.
    @inline(__always)
    init(_ answer: DispatchProgress.Answer, _ place: UnsafePointer<RuleStep>, _ end: UnsafePointer<RuleStep>?) {
        switch answer {
        case .ignored: unsafe self.init(.ignored, place)
        case .stop: unsafe self.init(.stopped, place)
        case .next, .notMatched: unsafe self.init(place + 1 == end ? .nextOfNone : .next, place, end)
        }
    }

    /// The step of the first rule, which may have acted; nil if it is not known.
    var step: RuleStep? { unsafe place?.pointee }

    /// The steps of the handler's rules that were not tried; nil if they have to be looked up.
    var rest: RuleStepList? {
        if isOver { return RuleStepList.none }
        guard let place = unsafe place, let end = unsafe end else { return nil }
        return unsafe RuleStepList(next: kind == .none || kind == .suspends ? place : place + 1, end: end)
    }

    /// Lets the first rule act, which is asynchronous, and returns how the dispatch has begun with that.
    @inline(__always)
    func acted(on error: any Error) async -> DispatchStart {
        guard let place = unsafe place else { return self }
        do {
            let answer = try await unsafe place.pointee.rule.takeUnretainedValue().actSuspending(on: error)
            return unsafe DispatchStart(answer, place, end)
        } catch {
            return unsafe DispatchStart(throwing: error, place, end)
        }
    }

    /// Returns what the first rule's action has thrown and releases it, so that it can be called only once.
    func takeThrown() -> (any Error)? { unsafe thrown?.takeRetainedValue().error }

    /// Whether no other rule of the handler is tried before the `onNoMatch` and `always` rules.
    @inline(__always)
    var isOver: Bool { kind.rawValue <= Kind.ignored.rawValue }

    /// Whether the first rule has stopped the error.
    @inline(__always)
    var isStop: Bool { kind == .stopped || kind == .ignored }

    /// Whether no rule of any kind is tried after the first one.
    @inline(__always)
    func isOver(in program: DispatchProgram) -> Bool { isOver && !program.hasFallbacks(after: kind != .noMatch) }

    /// The outcome, if no other rule of any kind is tried.
    @inline(__always)
    var outcome: HandleOutcome {
        HandleOutcome(
            disposition: kind == .noMatch ? .unmatched : kind == .ignored ? .ignored : .handled,
            matchedRuleCount: kind == .noMatch ? 0 : 1,
            rule: unsafe place?.pointee.rule._withUnsafeGuaranteedRef { $0.registration.threadsOwnDescription }
        )
    }
}

extension DispatchProgram {
    /// Looks up the first rule for an error, and lets it act if it is certain to match, is synchronous, and needs no
    /// report; at the first use, looks nothing up.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - mayStopAtAsynchronous: Whether a rule may act even if an asynchronous one could be reached after it.
    ///   - supervisor: May supersede the dispatch.
    ///   - report: The error's report, if it is at hand: then a rule that needs it may act too.
    @inline(__always)
    func begin(
        _ error: any Error, mayStopAtAsynchronous: Bool, under supervisor: (any ActionSupervisor)? = nil,
        _ report: UnsafeMutablePointer<LazyReport>? = nil
    ) -> DispatchStart {
        guard let index = unsafe index else {
            return unsafe DispatchStart(isAsynchronous && !mayStopAtAsynchronous ? .declined : .none)
        }
        return unsafe index._withUnsafeGuaranteedRef {
            unsafe $0.begin(error, mayStopAtAsynchronous, supervisor, report)
        }
    }
}

extension RuleIndex {
    @inline(never)
    fileprivate func begin(
        _ error: any Error, _ mayStopAtAsynchronous: Bool, _ supervisor: (any ActionSupervisor)?,
        _ report: UnsafeMutablePointer<LazyReport>?
    ) -> DispatchStart {
        func begin<Content: Error>(_ content: Content) -> DispatchStart {
            guard let plan = unsafe plan(for: content, error) else {
                return unsafe self.begin(ErrorBox.unboxed(error), mayStopAtAsynchronous, supervisor, report)
            }
            let (isDeclined, hasDomain) = unsafe plan._withUnsafeGuaranteedRef {
                unsafe ($0.mayBeAsynchronous && !mayStopAtAsynchronous, $0.domain != nil)
            }
            if isDeclined { return unsafe DispatchStart(.declined) }
            if hasDomain { return unsafe DispatchStart(.none) }
            var (first, end) = unsafe RuleStepCursor.first(of: plan, for: content)
            if let place = unsafe first, let end = unsafe end, unsafe place.pointee.asksPredicate {
                let held = unsafe Self.firstHolding(from: place, to: end, for: error)
                unsafe first = unsafe held == end ? nil : held
            }
            guard let place = unsafe first else { return unsafe DispatchStart(.noMatch) }
            let actsAtOnce =
                unsafe place.pointee.actsAtOnce
                ? unsafe place.pointee.isCertain || end != nil : report != nil && place.pointee.actsWithReport
            guard actsAtOnce else {
                return unsafe DispatchStart(place.pointee.suspendsAlone ? .suspends : .none, place, end)
            }
            if let supervisor, !supervisor.isCurrent { return unsafe DispatchStart(.superseded) }
            do {
                let rule = unsafe place.pointee.rule
                let answer = try unsafe rule._withUnsafeGuaranteedRef { unsafe try $0.act(on: content, error, report) }
                return unsafe DispatchStart(answer, place, end)
            } catch {
                return unsafe DispatchStart(throwing: error, place, end)
            }
        }
        return _openExistential(error, do: begin)
    }

    /// Asks the predicates of rules that could act at once; returns the place of the first that holds, or of the first
    /// rule that is another.
    @inline(never)
    private static func firstHolding(
        from first: UnsafePointer<RuleStep>, to end: UnsafePointer<RuleStep>, for error: any Error
    ) -> UnsafePointer<RuleStep> {
        let entry = PerThread.enterMatcher()
        defer { if let entry { PerThread.leaveMatcher(entry) } }
        var place = unsafe first
        while unsafe place != end, unsafe place.pointee.asksPredicate, unsafe place.pointee.actsAtOnce {
            if entry != nil, unsafe place.pointee.rule._withUnsafeGuaranteedRef({ $0.predicate(error) }) { break }
            unsafe place += 1
        }
        return unsafe place
    }
}

extension DispatchProgress {
    /// Records the result of the first rule.
    mutating func record(_ start: DispatchStart, _ error: any Error, _ report: inout LazyReport) {
        guard let step = start.step else { return }
        switch start.kind {
        case .ignored: record(.ignored, at: step)
        case .stopped: record(.stop, at: step)
        case .next, .nextOfNone: record(.next, at: step)
        case .failed: if let thrown = start.takeThrown() { record(thrown, at: step, report.made(for: error)) }
        case .none, .noMatch, .declined, .superseded, .suspends: break
        }
    }
}
