// A dispatch begins with `DispatchProgram.begin`, which lets the first rule act. A walk is made only if there is more to
// try: to set one up costs as much as most dispatches do.

extension DispatchWalk {
    /// Dispatches an error for a bus without suspending.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - program: The only program, unless there is a path.
    ///   - path: The handlers of the path, if there is one.
    ///   - report: The error's report.
    ///   - supervisor: May supersede the dispatch.
    ///   - progress: The progress before the first rule; set to how far the dispatch has come.
    /// - Returns: How the dispatch has ended.
    static func run(
        _ error: any Error,
        through program: Unmanaged<DispatchProgram>,
        on path: HandlerPath.Steps?,
        _ report: inout LazyReport,
        under supervisor: any ActionSupervisor,
        into progress: inout DispatchProgress
    ) -> SynchronousEnd {
        let program = unsafe path?.program(0) ?? program
        let handlers = path?.count(in: .rules) ?? 1
        var start = unsafe begin(program, error, under: supervisor, &report)
        // While a handler of the path has no rule for the error, the dispatch begins with the next handler.
        while start.kind == .noMatch, let path, progress.handler + 1 < handlers {
            _ = progress.advance(handlers: handlers)
            start = unsafe begin(path.program(progress.handler), error, under: supervisor, &report)
        }
        if start.kind == .superseded { return .superseded }
        let isOver = start.isStop || start.isOver && progress.handler + 1 >= handlers
        let hasFallbacks =
            unsafe path?.hasFallbacks(after: start.kind != .noMatch)
            ?? program._withUnsafeGuaranteedRef { $0.hasFallbacks(after: start.kind != .noMatch) }
        if isOver, !hasFallbacks {
            progress.record(start, error, &report)
            return .completed
        }
        return unsafe goOn(error, through: program, on: path, after: start, &report, under: supervisor, &progress)
    }

    @inline(__always)
    private static func begin(
        _ program: Unmanaged<DispatchProgram>, _ error: any Error, under supervisor: any ActionSupervisor,
        _ report: inout LazyReport
    ) -> DispatchStart {
        unsafe withUnsafeMutablePointer(to: &report) { report in
            unsafe program._withUnsafeGuaranteedRef {
                unsafe $0.begin(error, mayStopAtAsynchronous: true, under: supervisor, report)
            }
        }
    }

    /// Dispatches an error through one program without suspending and without a supervisor, unless an asynchronous rule
    /// could be reached.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - program: The program.
    ///   - origin: What the error's report is made from.
    /// - Returns: The outcome; nil, and no action has run, if an asynchronous rule could be reached.
    @inline(__always)
    static func runIfSynchronous<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, _ origin: @autoclosure () -> Origin
    ) -> HandleOutcome? {
        let start = unsafe program._withUnsafeGuaranteedRef {
            unsafe $0.begin(error, mayStopAtAsynchronous: false)
        }
        if start.kind == .declined { return nil }
        if unsafe program._withUnsafeGuaranteedRef({ start.isOver(in: $0) }) { return start.outcome }
        return unsafe goOn(error, through: program, after: start, origin())
    }

    @inline(never)
    private static func goOn<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, after start: DispatchStart, _ origin: Origin
    ) -> HandleOutcome {
        unsafe withUnsafePointer(to: origin) { origin in
            var report = unsafe LazyReport(keptAt: origin, by: Origin.self)
            var progress = DispatchProgress()
            _ = unsafe goOn(error, through: program, on: nil, after: start, &report, under: nil, &progress)
            return progress.outcome
        }
    }

    /// Tries the rules after the first one, up to the first asynchronous one.
    private static func goOn(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, on path: HandlerPath.Steps?,
        after start: DispatchStart, _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?,
        _ progress: inout DispatchProgress
    ) -> SynchronousEnd {
        progress.record(start, error, &report)
        var walk = unsafe DispatchWalk(program, on: path, error, from: consume progress, rest: start.rest)
        let end = walk.finish(&report, under: supervisor)
        progress = walk.ended()
        return end
    }

    /// Dispatches an error through one program, without a supervisor.
    @inline(__always)
    static func run<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, _ origin: Origin
    ) async -> HandleOutcome {
        let error = ErrorBox.unboxed(error)
        var start = unsafe program._withUnsafeGuaranteedRef { unsafe $0.begin(error, mayStopAtAsynchronous: true) }
        if start.kind == .suspends { start = await start.acted(on: error) }
        if unsafe program._withUnsafeGuaranteedRef({ start.isOver(in: $0) }) { return start.outcome }
        return await unsafe goOnSuspending(error, through: program, after: start, origin)
    }

    @inline(never)
    private static func goOnSuspending<Origin: ReportMaker>(
        _ error: any Error, through program: Unmanaged<DispatchProgram>, after start: DispatchStart, _ origin: Origin
    ) async -> HandleOutcome {
        let kept = UnsafeMutablePointer<Origin>.allocate(capacity: 1)
        unsafe kept.initialize(to: origin)
        var report = unsafe LazyReport(keptAt: kept, by: Origin.self)
        var progress = DispatchProgress()
        progress.record(start, error, &report)
        var walk = unsafe DispatchWalk(program, on: nil, error, from: progress, rest: start.rest)
        _ = await walk.finish(report, under: nil)
        unsafe kept.deinitialize(count: 1)
        unsafe kept.deallocate()
        return walk.progress.outcome
    }
}

// MARK: - A set's dispatches

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
        return unsafe DispatchWalk.runIfSynchronous(error, through: reference.program, origin())
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
        var walk = unsafe DispatchWalk(reference.programInUse, on: nil, error, from: DispatchProgress())
        if walk.needsSuspension() { return nil }
        unsafe withUnsafePointer(to: origin) { origin in
            var report = unsafe LazyReport(keptAt: origin, by: Origin.self)
            _ = walk.finish(&report, under: nil, skipsAsynchronous: true)
        }
        return walk.progress.outcome
    }

    /// Tries the rules in order on the caller's executor, without a time limit, after ``dispatchIfSynchronous(_:_:)``.
    @inline(__always)
    func dispatch<Origin: ReportMaker>(_ error: any Error, _ origin: Origin) async -> HandleOutcome {
        defer { withExtendedLifetime(self) {} }
        return await unsafe DispatchWalk.run(error, through: reference.programInUse, origin)
    }
}
