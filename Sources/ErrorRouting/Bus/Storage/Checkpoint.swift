/// How far the dispatch of a report has come that more than one worker may deliver.
///
/// In a box, so that the machine's phase and what the worker does next are small; each event makes a new one.
indirect enum Checkpoint: Sendable {
    /// No asynchronous action runs: another worker begins here.
    case between(DispatchProgress)
    /// An asynchronous action runs, and began at a moment.
    case running(SupervisedAction, began: Duration)

    /// Where a worker that takes the report over begins.
    var progress: DispatchProgress {
        switch self {
        case .between(let progress): progress
        case .running(let action, _): action.progress
        }
    }
}
