internal import CErrorOrigins
internal import ErrorRouting
internal import StandardErrorWriter
internal import Synchronization

/// Records where errors are thrown, so that each report names the line of the `throw` statement and not only of the
/// post.
///
/// Start it once, at the beginning of the program:
///
/// ```swift
/// OriginRecording.start()
/// await withErrorBus(handler: .default, asRoot: true) { bus in … }
/// ```
///
/// `ErrorReport.origin` is then the place of the `throw`. Lines, structured fields, and recorded files contain it.
public enum OriginRecording {
    private static let isStarted = Mutex(false)

    /// Starts recording, after a self-test.
    ///
    /// It needs Linux with glibc on x86-64 or AArch64, and a Swift runtime that calls a hook for each `throw`
    /// statement. The self-test throws errors and compares the recorded places with the actual ones. If it fails,
    /// recording stays off, and standard error contains one line about that.
    ///
    /// A hook that was there before, such as that of the test library, is still called. If a hook is put in front of
    /// this one later, places aren't recorded while it is there. If somebody else removes this hook, places aren't
    /// recorded until the process exits. While recording is on, calling this method again only repeats the self-test.
    ///
    /// - Returns: Whether places are recorded.
    @discardableResult
    public static func start() -> Bool {
        isStarted.withLock { isStarted in
            if isStarted { return OriginSelfTest.failure() == nil }
            guard let failure = begin() else {
                isStarted = true
                ThrownPlaces.record(true, by: Places.finder)
                Places.shared.startSymbolLookup()
                return true
            }
            error_origins_stop()
            StandardError.write("OriginRecording: places of throws aren't recorded: \(failure)")
            return false
        }
    }

    /// Stops recording; reports keep the places that they have.
    ///
    /// The hook is removed unless another one has been put in front of it. In that case it stays there, and only calls
    /// the former one.
    public static func stop() {
        isStarted.withLock { isStarted in
            guard isStarted else { return }
            ThrownPlaces.record(false, by: Places.finder)
            error_origins_stop()
            isStarted = false
        }
    }

    /// Puts the hook in place and tests it; returns the reason if it can't be used.
    private static func begin() -> String? {
        guard error_origins_start() else { return "this platform's Swift runtime has no known hook for throws" }
        return OriginSelfTest.failure()
    }
}
