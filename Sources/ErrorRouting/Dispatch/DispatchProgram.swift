import Synchronization

/// The rules of a set as steps in the order in which they are tried and, from the second use on, with an index.
///
/// Retains no rules: its set does.
@safe final class DispatchProgram: @unchecked Sendable {
    // Unchecked, since the compiler cannot know that the memory of the steps does not change after `init`.

    static let empty = DispatchProgram(of: nil)

    /// The steps of a stage.
    struct Stage {
        let list: RuleStepList
        let hasAsynchronous: Bool
    }

    let rules: Stage
    let onNoMatch: Stage
    let always: Stage
    /// Whether there are `always` rules, and whether there are those or `onNoMatch` rules.
    private let hasAlways: Bool
    private let hasFallbacks: Bool
    /// The address of the index; 0 until it is made.
    private let indexAddress = Atomic<UInt>(0)

    /// - Parameter last: The last node of the set; nil if there are no rules.
    init(of last: RuleNode?) {
        // By stage, in vectors, which need no memory of their own.
        var counts = SIMD4<Int>()
        var asynchronous = SIMD4<Int>()
        last?.forEachRule { rule, stage in
            counts[stage.rawValue] += 1
            if rule.isAsynchronous { asynchronous[stage.rawValue] += 1 }
        }
        let starts = SIMD4(0, counts[0], counts[0] + counts[1], 0)
        let base = UnsafeMutablePointer<RuleStep>.allocate(capacity: counts.wrappedSum())
        var ends = starts
        last?.forEachRule { rule, stage in
            let end = ends[stage.rawValue]
            // `onNoMatch` and `always` rules match every error.
            let step = RuleStep(rule, order: end - starts[stage.rawValue], isCertain: stage == .rules ? nil : true)
            unsafe (base + end).initialize(to: step)
            ends[stage.rawValue] = end + 1
        }
        func stage(_ stage: RuleSet.Stage) -> Stage {
            let (start, end) = unsafe (base + starts[stage.rawValue], base + ends[stage.rawValue])
            let list = unsafe RuleStepList(next: UnsafePointer(start), end: UnsafePointer(end))
            return Stage(list: list, hasAsynchronous: asynchronous[stage.rawValue] > 0)
        }
        (rules, onNoMatch, always) = (stage(.rules), stage(.onNoMatch), stage(.always))
        hasAlways = counts[2] > 0
        hasFallbacks = counts[1] + counts[2] > 0
    }

    deinit {
        unsafe index?.release()
        unsafe rules.list.next.deallocate()
    }

    /// Whether other rules are tried once those for errors are over.
    ///
    /// - Parameter hasMatch: Whether one of those has matched.
    func hasFallbacks(after hasMatch: Bool) -> Bool { hasMatch ? hasAlways : hasFallbacks }

    /// Whether any rule is asynchronous.
    var isAsynchronous: Bool { rules.hasAsynchronous || hasAsynchronousFallback }

    /// Whether any `onNoMatch` or `always` rule is asynchronous.
    var hasAsynchronousFallback: Bool { onNoMatch.hasAsynchronous || always.hasAsynchronous }

    /// The index; nil at the first use.
    @inline(__always)
    var index: Unmanaged<RuleIndex>? {
        let address = unsafe UnsafeRawPointer(bitPattern: indexAddress.load(ordering: .acquiring))
        return unsafe address.map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// Makes the index, unless there is one.
    func makeIndex() {
        let new = unsafe Unmanaged.passRetained(RuleIndex(of: self))
        let (isFirst, _) = indexAddress.compareExchange(
            expected: 0, desired: unsafe UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
        if !isFirst { unsafe new.release() }
    }
}
