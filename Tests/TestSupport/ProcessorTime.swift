import Foundation

/// Runs a body and returns the processor time that it takes, which doesn't depend on how busy the machine is.
package func processorTime(of body: () -> Void) -> Duration {
    func now() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
    let begin = now()
    body()
    return now() - begin
}
