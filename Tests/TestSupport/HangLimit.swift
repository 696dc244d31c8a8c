import Foundation
package import Testing

extension Trait where Self == TimeLimitTrait {
    /// For tests that can hang if something is wrong, and for nothing else.
    ///
    /// Tests run side by side, on a machine that others may load, and under sanitizers that make them ten times as
    /// slow: a minute was not enough to tell one that hangs from one that waits for its turn.
    package static var hangLimit: Self { .timeLimit(.minutes(10)) }
}

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
