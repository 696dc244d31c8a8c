import Foundation
import Synchronization

/// The signals by which a person or a supervisor ends a command.
///
/// The handler only notes the signal: whoever reads files looks at it before each line. The second signal of a kind
/// ends the process at once.
enum Interrupt {
    /// The first signal; 0 while there was none.
    private static let first = Atomic<Int32>(0)

    static var signal: Int32? {
        let first = first.load(ordering: .relaxed)
        return first == 0 ? nil : first
    }

    static func begin() {
        // Static properties are initialised at their first use, which must not be in the handler.
        _ = first.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            Foundation.signal(number) { number in
                _ = Interrupt.first.compareExchange(expected: 0, desired: number, ordering: .relaxed)
                _ = Foundation.signal(number, SIG_DFL)
            }
        }
    }
}
