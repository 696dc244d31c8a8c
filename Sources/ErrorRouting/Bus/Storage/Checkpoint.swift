/// The progress of a report's dispatch, if more than one worker might deliver the report.
///
/// It is boxed so that the machine's phase and the worker's next step are small; each event creates a new one.
indirect enum Checkpoint: Sendable {
    /// No asynchronous action runs: another worker begins here.
    case between(DispatchProgress)
    /// An asynchronous action runs since the given time.
    case running(SupervisedAction, began: Duration)

    /// The progress from which the next worker continues.
    var progress: DispatchProgress {
        switch self {
        case .between(let progress): progress
        case .running(let action, _): action.progress
        }
    }
}
