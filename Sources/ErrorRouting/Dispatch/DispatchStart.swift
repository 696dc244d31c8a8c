/// How a dispatch has begun: the first rule is looked up, and where that is all it takes it has acted.
///
/// Nothing but words, so that it is handed back in registers.
@safe struct DispatchStart {
    enum Kind: UInt8 {
        /// Nothing was done.
        case none
        /// Nothing was done, and no rule is for the error.
        case noMatch
        /// Nothing was done: an asynchronous rule could come up.
        case declined
        /// Nothing was done: the supervisor took the dispatch away.
        case superseded
        /// The first rule has acted.
        case ignored, stopped, next
        /// It has acted, and no other is for the error.
        case nextOfNone
        /// Its action has thrown.
        case failed
        /// Nothing was done: the first rule is certain to match, and all that keeps it from acting is that it suspends.
        case suspends
    }

    let kind: Kind
    private let place: UnsafePointer<RuleStep>?
    private let thrown: Unmanaged<Thrown>?

    private final class Thrown: Sendable {
        let error: any Error

        init(_ error: any Error) { self.error = error }
    }

    @inline(__always)
    init(_ kind: Kind, _ place: UnsafePointer<RuleStep>? = nil) {
        self.kind = kind
        unsafe self.place = place
        unsafe thrown = nil
    }

    init(throwing error: any Error, _ place: UnsafePointer<RuleStep>) {
        kind = .failed
        unsafe self.place = place
        unsafe thrown = .passRetained(Thrown(error))
    }

    /// The first step: it has acted, or has yet to.
    var step: RuleStep? { unsafe place?.pointee }

    /// Lets the rule act that suspends.
    func acted(on error: any Error) async -> DispatchStart {
        guard let place = unsafe place else { return self }
        do {
            switch try await unsafe place.pointee.rule.takeUnretainedValue().actSuspending(on: error) {
            case .ignored: return unsafe DispatchStart(.ignored, place)
            case .stop: return unsafe DispatchStart(.stopped, place)
            case .next, .notMatched: return unsafe DispatchStart(.next, place)
            }
        } catch {
            return unsafe DispatchStart(throwing: error, place)
        }
    }

    /// What its action has thrown; to be asked once.
    func takeThrown() -> (any Error)? { unsafe thrown?.takeRetainedValue().error }

    /// Whether no other rule is for the error.
    var isLast: Bool { kind == .noMatch || kind == .nextOfNone }

    /// Whether no other rule for errors comes up.
    @inline(__always)
    var isOver: Bool { isLast || kind == .stopped || kind == .ignored }

    /// What has become of the error, where that is all.
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
    /// Looks up the first rule for an error, and lets it act where it is certain to match, does not suspend, and takes
    /// no report.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - mayStopAtAsynchronous: Whether anything may run where an asynchronous rule could come up.
    ///   - supervisor: Who may take the dispatch away.
    @inline(never)
    func begin(
        _ error: any Error, mayStopAtAsynchronous: Bool, under supervisor: (any ActionSupervisor)?
    ) -> DispatchStart {
        func begin<Content: Error>(_ content: Content) -> DispatchStart {
            guard let plan = unsafe plan(for: content, error) else {
                return self.begin(
                    ErrorBox.unboxed(error), mayStopAtAsynchronous: mayStopAtAsynchronous, under: supervisor)
            }
            let (isDeclined, hasDomain) = unsafe plan._withUnsafeGuaranteedRef {
                unsafe ($0.mayBeAsynchronous && !mayStopAtAsynchronous, $0.domain != nil)
            }
            if isDeclined { return unsafe DispatchStart(.declined) }
            if hasDomain { return unsafe DispatchStart(.none) }
            let (first, isOnly) = unsafe RuleStepCursor.first(of: plan, for: content)
            guard let place = unsafe first else { return unsafe DispatchStart(.noMatch) }
            guard unsafe place.pointee.actsAtOnce else {
                return unsafe DispatchStart(place.pointee.actsAlone ? .suspends : .none, place)
            }
            if let supervisor, !supervisor.isCurrent { return unsafe DispatchStart(.superseded) }
            do {
                let rule = unsafe place.pointee.rule
                switch try unsafe rule._withUnsafeGuaranteedRef({ unsafe try $0.act(on: content, error, nil) }) {
                case .ignored: return unsafe DispatchStart(.ignored, place)
                case .stop: return unsafe DispatchStart(.stopped, place)
                case .next, .notMatched: return unsafe DispatchStart(isOnly ? .nextOfNone : .next, place)
                }
            } catch {
                return unsafe DispatchStart(throwing: error, place)
            }
        }
        return _openExistential(error, do: begin)
    }
}

extension DispatchProgress {
    /// Takes what became of the first rule.
    mutating func record(_ start: DispatchStart, at step: RuleStep, _ error: any Error, _ report: inout LazyReport) {
        switch start.kind {
        case .ignored: record(.ignored, at: step)
        case .stopped: record(.stop, at: step)
        case .next, .nextOfNone: record(.next, at: step)
        case .failed: if let thrown = start.takeThrown() { record(thrown, at: step, report.made(for: error)) }
        case .none, .noMatch, .declined, .superseded, .suspends: break
        }
    }
}
