import Foundation
import Testing

/// Ends this process, which is that of an exit test, if it hangs: the first thing that each of them does.
///
/// Nothing else would. A time limit is told when it is up, but waits for the process no less, and so the whole test run
/// would hang, and nobody would hear which test it was.
///
/// - Parameter seconds: When; much later than any of them ends on a busy machine under a sanitizer.
package func endIfItHangs(after seconds: Int = 300) { alarm(UInt32(seconds)) }

extension ExitTest.Result? {
    /// The lines that the process wrote to standard error.
    package var standardErrorLines: [String] {
        String(decoding: self?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
