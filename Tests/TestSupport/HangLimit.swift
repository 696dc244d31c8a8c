import Foundation
package import Testing

extension Trait where Self == TimeLimitTrait {
    /// The time limit of tests that can hang if something is wrong.
    ///
    /// Tests run side by side, on a machine that others may load, and under sanitizers that make them ten times as
    /// slow: within a minute, a test that hangs cannot be told from one that waits for its turn.
    package static var hangLimit: Self { .timeLimit(.minutes(10)) }
}

/// Ends this process if it hangs; the first call of each exit test.
///
/// A time limit is reported when it is up, but still waits for the process: the whole test run would hang.
///
/// - Parameter seconds: Much more than an exit test takes on a busy machine under a sanitizer.
package func endIfItHangs(after seconds: Int = 300) { alarm(UInt32(seconds)) }

extension ExitTest.Result? {
    /// What the process wrote to standard error.
    package var standardErrorText: String { String(decoding: self?.standardErrorContent ?? [], as: UTF8.self) }

    /// The lines that the process wrote to standard error.
    package var standardErrorLines: [String] { standardErrorText.nonemptyLines }
}
