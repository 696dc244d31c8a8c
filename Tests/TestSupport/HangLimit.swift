package import Testing

extension Trait where Self == TimeLimitTrait {
    /// For tests that can hang if something is wrong, and for nothing else.
    ///
    /// Tests run side by side, on a machine that others may load, and under sanitizers that make them ten times as
    /// slow: a minute was not enough to tell one that hangs from one that waits for its turn.
    package static var hangLimit: Self { .timeLimit(.minutes(10)) }
}
