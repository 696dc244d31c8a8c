import Foundation
import Synchronization

/// The signals with which a user or a supervisor interrupts a command.
///
/// The handler only stores the signal; code that reads files checks it before each line. A second signal of the same
/// kind terminates the process immediately.
enum Interrupt {
    /// The first signal; 0 if there was no signal.
    private static let first = Atomic<Int32>(0)

    static var signal: Int32? {
        let first = first.load(ordering: .relaxed)
        return first == 0 ? nil : first
    }

    static func begin() {
        // Initialize the static property here, because its first use must not be in the handler.
        _ = first.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            Foundation.signal(number) { number in
                _ = Interrupt.first.compareExchange(expected: 0, desired: number, ordering: .relaxed)
                _ = Foundation.signal(number, SIG_DFL)
            }
        }
    }
}
