import ErrorRecording
import ErrorRecovery
import HTTPErrors

extension RebuildableErrors {
    /// The errors of the order intake that a replay can rebuild, besides those that every replay knows.
    static let orderIntake = RebuildableErrors()
        .adding(OrderError.self).adding(SpecialFile.self).adding(FileTooLarge.self)
        .adding(NetworkError.self).adding(CircuitOpen.self).adding(CircuitChanged.self)
}
