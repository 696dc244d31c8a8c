import Foundation

/// The two streams of the terminal, each text written whole and at once, so that lines of workers do not mix.
enum Console {
    /// Whether standard output can show a line that changes.
    static var isInteractive: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Writes a text as it is to standard output.
    static func write(_ text: String) {
        // A reader that has gone away (`| head`) is no reason to stop taking orders.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    /// Writes a line to standard output.
    static func writeLine(_ line: String = "") {
        write(line + "\n")
    }

    /// Writes a line to standard error.
    static func writeError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
