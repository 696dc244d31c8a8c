#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Where errors go that have nowhere else to go.
enum StandardError {
    /// A byte, since the thread sanitizer takes an empty value for the lock that it has its address from.
    private static let turn = Locked(UInt8(0))

    /// Writes one line, whole.
    ///
    /// Threads take turns, since a pipe takes a long line piece by piece. A write that fails is given up: there is no
    /// third place.
    static func write(_ line: String) {
        turn.withLock { _ in writeWhole(line) }
    }

    private static func writeWhole(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    unsafe Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
                #elseif canImport(Glibc)
                    unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
                #elseif canImport(Musl)
                    unsafe Musl.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
                #elseif canImport(Android)
                    unsafe Android.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
                #endif
            }
            if written < 0 {
                if errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Writes a report that nobody handled, and why.
    static func write(_ report: ErrorReport, because reason: String) {
        write("\(report) reason=\(ErrorText.quoted(reason))")
    }
}

extension ActionFailure {
    /// The last resort for a failure that nobody handles.
    func writeToStandardError() {
        let report = ErrorReport(error: self, source: rule.source, metadata: report.metadata, scope: report.scope)
        StandardError.write(report, because: "an action failed, and nobody handles that")
    }
}
