/// How a dispatch has begun: the first rule was looked up and, if it needs nothing else, has acted.
///
/// Holds only machine words, so that the compiler returns it in registers.
@safe struct DispatchStart {
    enum Kind: UInt8 {
        /// No rule has acted.
        case none
        /// No rule has acted, since none is for the error.
        case noMatch
        /// No rule has acted: an asynchronous one could be reached.
        case declined
        /// No rule has acted: the supervisor has superseded the dispatch.
        case superseded
        /// The first rule has acted.
        case ignored, stopped, next
        /// The first rule has acted and returned `.next`, and no other is for the error.
        case nextOfNone
        /// The first rule's action has thrown.
        case failed
        /// No rule has acted: the first one is certain to match and needs no report, but is asynchronous.
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

    /// The step of the first rule, which may have acted; nil if it is not known.
    var step: RuleStep? { unsafe place?.pointee }

    /// Lets the first rule act, which is asynchronous, and returns how the dispatch has begun with that.
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

    /// Returns what the first rule's action has thrown and releases it, so that it can be called only once.
    func takeThrown() -> (any Error)? { unsafe thrown?.takeRetainedValue().error }

    /// Whether no other rule is for the error.
    var isLast: Bool { kind == .noMatch || kind == .nextOfNone }

    /// Whether no other rule is tried before the `onNoMatch` and `always` rules.
    @inline(__always)
    var isOver: Bool { isLast || kind == .stopped || kind == .ignored }

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
    /// report.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - mayStopAtAsynchronous: Whether a rule may act even if an asynchronous one could be reached after it.
    ///   - supervisor: May supersede the dispatch.
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
    /// Records the result of the first rule.
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
