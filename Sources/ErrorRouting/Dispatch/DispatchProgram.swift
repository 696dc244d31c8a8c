import Synchronization

/// The rules of a set as steps in the order in which they are tried and, from the second use on, with an index.
///
/// Retains no rules: its set does.
@safe final class DispatchProgram: @unchecked Sendable {
    // Unchecked, since the compiler cannot know that the memory of the steps does not change after `init`.

    static let empty = DispatchProgram(of: nil)

    let rules: RuleStepList
    let onNoMatch: RuleStepList
    let always: RuleStepList
    /// The stages that have rules.
    let stages: RuleSet.Stages
    /// Whether any rule is asynchronous.
    let isAsynchronous: Bool
    /// Whether any `onNoMatch` or `always` rule is asynchronous.
    let hasAsynchronousFallback: Bool
    /// Whether any `always` rule is asynchronous.
    let hasAsynchronousAlways: Bool
    private let wasUsed = Atomic(false)
    private let madeIndex = SetOnce<RuleIndex>()

    /// - Parameter last: The last node of the set; nil if there are no rules.
    init(of last: RuleNode?) {
        // By stage, in vectors, which need no memory of their own.
        var counts = SIMD4<Int>()
        var asynchronous = SIMD4<Int>()
        last?.forEachRule { rule, stage in
            counts[stage.rawValue] += 1
            if rule.traits.isAsynchronous { asynchronous[stage.rawValue] += 1 }
        }
        let starts = SIMD4(0, counts[0], counts[0] + counts[1], 0)
        let base = UnsafeMutablePointer<RuleStep>.allocate(capacity: counts.wrappedSum())
        var ends = starts
        last?.forEachRule { rule, stage in
            let end = ends[stage.rawValue]
            // `onNoMatch` and `always` rules match every error.
            let (order, isCertain) = (end - starts[stage.rawValue], stage == .rules ? nil : true)
            unsafe (base + end).initialize(to: RuleStep(.passUnretained(rule), order: order, isCertain: isCertain))
            ends[stage.rawValue] = end + 1
        }
        func list(_ stage: RuleSet.Stage) -> RuleStepList {
            let (start, end) = unsafe (base + starts[stage.rawValue], base + ends[stage.rawValue])
            return unsafe RuleStepList(next: UnsafePointer(start), end: UnsafePointer(end))
        }
        (rules, onNoMatch, always) = (list(.rules), list(.onNoMatch), list(.always))
        stages = counts[1] > 0 ? (counts[2] > 0 ? [.onNoMatch, .always] : .onNoMatch) : counts[2] > 0 ? .always : []
        isAsynchronous = asynchronous.wrappedSum() > 0
        hasAsynchronousFallback = asynchronous[1] + asynchronous[2] > 0
        hasAsynchronousAlways = asynchronous[2] > 0
    }

    deinit { unsafe rules.next.deallocate() }

    /// The index; nil at the first use.
    @inline(__always)
    var index: Unmanaged<RuleIndex>? { unsafe madeIndex.unretained }

    /// The index for a dispatch that begins, which counts as a use; nil at the first use.
    ///
    /// Most handlers that are made for a request are used once, and to index their rules costs many times as much as
    /// that use.
    @inline(__always)
    var indexForUse: Unmanaged<RuleIndex>? { unsafe index ?? countUse() }

    @inline(never)
    private func countUse() -> Unmanaged<RuleIndex>? {
        let wasUsed = wasUsed.exchange(true, ordering: .acquiringAndReleasing)
        return unsafe wasUsed ? madeIndex.set(RuleIndex(of: self)) : nil
    }
}
