/// A way for errors to get from several posters to one place that handles them.
///
/// Each loops over its own posts, so that none pays for a call that its users would not write.
protocol ErrorTransport: Sendable {
    /// Posts that many errors, each made anew.
    func post(_ count: Int) async

    /// Handles what is posted, until ``finish()`` was called and nothing is left.
    ///
    /// - Returns: How many errors were handled.
    func run() async -> Int

    /// Lets ``run()`` return once it has handled what was posted.
    func finish()
}

/// A transport to which anyone can post without suspending.
protocol SynchronousTransport: ErrorTransport {
    /// Posts an error.
    func post(_ error: any Error)
}

/// A new error, of each of the eight plain types in turn.
@inline(never)
func makeError(_ number: Int) -> any Error {
    switch number & 7 {
    case 0: E1()
    case 1: E2()
    case 2: E3()
    case 3: E4()
    case 4: E5()
    case 5: E6()
    case 6: E7()
    default: E8()
    }
}
