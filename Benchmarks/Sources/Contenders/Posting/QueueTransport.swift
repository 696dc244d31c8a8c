import Synchronization

/// What one writes by hand: an array behind a mutex, taken whole by a loop that a stream wakes.
///
/// Written with care: posters wake the loop only when the array was empty, and outside the lock.
final class QueueTransport: ErrorTransport {
    private let queue = Mutex<[any Error]>([])
    private let wakeUps: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    init() {
        (wakeUps, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func post(_ count: Int) async {
        for number in 0..<count {
            let error = makeError(number)
            let wasEmpty = queue.withLock { queue in
                queue.append(error)
                return queue.count == 1
            }
            if wasEmpty { waker.yield() }
        }
    }

    func run() async -> Int {
        var handled = 0
        for await _ in wakeUps { handled += handleAll() }
        return handled + handleAll()
    }

    private func handleAll() -> Int {
        let errors = queue.withLock { queue in
            let errors = queue
            queue = []
            return errors
        }
        for error in errors { handleBySwitch8(error) }
        return errors.count
    }

    func finish() { waker.finish() }
}
