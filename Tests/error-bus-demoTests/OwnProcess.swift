import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// For tests that start processes and many transfers: run where `ERROR_BUS_DEMO` is set, by themselves.
    ///
    /// Beside the other suites' exit tests they hung once, with no thread at work: an end of a process and some
    /// transfers' had not been told by Foundation. Why is not known.
    static var inProcessOfTheirOwn: Self {
        .enabled(if: ProcessInfo.processInfo.environment["ERROR_BUS_DEMO"] != nil, "run with ERROR_BUS_DEMO=1")
    }
}
