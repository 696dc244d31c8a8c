/// What the first rule for an error has done, if it can act alone.
///
/// Most errors need no more, and then neither a report nor a progress is made for them. All others go on from here in
/// ``DispatchWalk``.
///
/// Holds only machine words, and is copyable, so that the compiler returns it in registers. It owns what the action has
/// thrown until ``record(for:_:into:)`` takes that over: one that has failed must be recorded, and once.
@safe struct FirstRule {
    /// The four after which no other rule of the stage is tried come first, so that one comparison tells them.
    enum Kind: UInt8 {
        /// No rule is for the error.
        case noMatch
        /// The rule has returned `.next`, and no other is for the error.
        case nextOfNone
        /// The rule has acted, and is the last.
        case stopped, ignored
        /// The rule has returned `.next`.
        case next
        /// The rule's action has thrown.
        case failed
        /// No rule has acted: the first one cannot act alone.
        case notTried
        /// No rule has acted: the first one can act alone, but is asynchronous.
        case suspends
        /// No rule has acted: an asynchronous one could be reached.
        case declined

        @inline(__always)
        init(_ answer: DispatchProgress.Answer) {
            self = answer == .stop ? .stopped : answer == .ignored ? .ignored : .next
        }
    }

    private(set) var kind = Kind.notTried
    /// The place of the rule, or of the first that was not tried; nil if it is not known.
    private var place: UnsafePointer<RuleStep>?
    /// What the rule's action has thrown; unmanaged, since to release nothing would cost a call for each error.
    private var thrown: Unmanaged<Thrown>?

    private final class Thrown: Sendable {
        let error: any Error

        init(_ error: any Error) { self.error = error }
    }

    @inline(__always)
    private init(_ kind: Kind, _ place: UnsafePointer<RuleStep>? = nil) {
        (self.kind, unsafe self.place) = unsafe (kind, place)
    }

    @inline(never)
    private init(throwing error: any Error, _ place: UnsafePointer<RuleStep>) {
        (kind, unsafe self.place, unsafe thrown) = unsafe (.failed, place, .passRetained(Thrown(error)))
    }

    /// Lets the first rule of a path with one block act, if it is certain to match, is synchronous, and needs no report
    /// that is not at hand.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - error: The error.
    ///   - target: The error's report, if it is at hand; for a map, the place of the value.
    ///   - supervisor: May supersede the dispatch; then no rule acts.
    ///   - declines: Whether no rule acts if an asynchronous one could be reached.
    @inline(__always)
    init(
        on path: Borrowed<BlockPath>, for error: any Error, _ target: UnsafeMutableRawPointer? = nil,
        under supervisor: (any ActionSupervisor)? = nil, declines: Bool = false
    ) {
        self = path.read { path in
            if declines, path.mayBeAsynchronous(for: error) { return unsafe FirstRule(.declined) }
            // Where an `always` rule follows, or another block, the loop over the rules is needed anyway.
            if path.count != 1 || path.stages.contains(.always) { return unsafe FirstRule(.notTried) }
            return path.block(0, .rules).read { unsafe Self.begin(with: $0, error, target, supervisor) }
        }
    }

    @inline(__always)
    private static func begin(
        with block: Block, _ error: any Error, _ target: UnsafeMutableRawPointer?,
        _ supervisor: (any ActionSupervisor)?
    ) -> FirstRule {
        func begin<Content: Error>(_ content: Content) -> FirstRule {
            // An error in two boxes is left to the walk, which takes it out of one, and one that is to be bridged too.
            guard var steps = unsafe block.steps(for: content, error, .rules, nil) else {
                return unsafe FirstRule(.notTried)
            }
            if unsafe steps.first?.pointee.match == .byPredicate { steps.dropNotHolding(for: error) }
            guard let place = unsafe steps.first else { return unsafe FirstRule(.noMatch) }
            guard unsafe place.pointee.actsAlone(hasReport: target != nil), supervisor?.isCurrent ?? true else {
                return unsafe FirstRule(place.pointee.suspendsAlone ? .suspends : .notTried, place)
            }
            do {
                let answer = try unsafe place.pointee.rule.read { unsafe try $0.act(on: content, error, target) }
                guard answer == .next else { return unsafe FirstRule(Kind(answer), place) }
                steps.removeFirst()
                return unsafe FirstRule(steps.first == nil ? .nextOfNone : .next, place)
            } catch {
                return unsafe FirstRule(throwing: error, place)
            }
        }
        return _openExistential(error, do: begin)
    }

    /// Lets the rule act, which is asynchronous, if it can act alone.
    @inline(__always)
    mutating func actSuspending(on error: any Error) async {
        guard kind == .suspends, let place = unsafe place else { return }
        do {
            kind = Kind(try await unsafe place.pointee.rule.object.actSuspending(on: error))
        } catch {
            self = unsafe FirstRule(throwing: error, place)
        }
    }

    /// The rule, if it is known.
    var rule: Borrowed<Rule>? { unsafe place?.pointee.rule }

    /// Whether no rule of any kind is tried after this one; then ``outcome`` is final.
    @inline(__always)
    func isOver(on path: Borrowed<BlockPath>) -> Bool {
        guard kind.rawValue <= Kind.ignored.rawValue else { return false }
        return kind != .noMatch || !path.read { $0.stages.contains(.onNoMatch) }
    }

    /// The outcome, if no other rule of any kind is tried.
    @inline(__always)
    var outcome: HandleOutcome {
        HandleOutcome(
            disposition: kind == .noMatch ? .unmatched : kind == .ignored ? .ignored : .handled,
            matchedRuleCount: kind == .noMatch ? 0 : 1,
            rule: unsafe place?.pointee.rule.read { $0.registration.threadsOwnDescription }
        )
    }

    /// Records the result, and where whoever goes on begins.
    func record(for error: any Error, _ report: inout LazyReport, into progress: inout DispatchProgress) {
        if kind == .noMatch || kind == .nextOfNone { progress.endStage() }
        guard let step = unsafe place?.pointee else { return }
        progress.goOn(after: step.order)
        switch kind {
        case .ignored: progress.record(.ignored, at: step)
        case .stopped: progress.record(.stop, at: step)
        case .next, .nextOfNone: progress.record(.next, at: step)
        case .failed:
            guard let thrown = unsafe thrown?.takeRetainedValue().error else { return }
            progress.record(thrown, of: step.rule.object, report.made(for: error))
        case .notTried, .suspends: progress.goOn(after: step.order - 1)
        case .noMatch, .declined: break
        }
    }
}
