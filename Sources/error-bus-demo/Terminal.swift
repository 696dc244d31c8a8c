import ErrorRouting
import Foundation
import Synchronization

/// The user's terminal, whose keys are read one by one and without an echo.
enum Terminal {
    /// The original mode, to be restored; nil while it is not changed.
    private static let mode = Mutex<termios?>(nil)

    /// Whether standard input and standard output are a terminal.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Changes the terminal's mode, and reads keys until the process ends.
    ///
    /// - Parameter onKey: Called on a thread of its own with each key, and with nil at the end of the input.
    static func readKeys(_ onKey: @escaping @Sendable (UInt8?) -> Void) {
        // Registered before the mode is changed, so that every later exit restores the mode.
        atexit { Terminal.restore() }
        changeMode()
        // Reading blocks its thread until the process ends.
        Thread.detachNewThread {
            var key: UInt8 = 0
            while true {
                let count = unsafe read(STDIN_FILENO, &key, 1)
                if count == 1 {
                    onKey(key)
                } else if count == 0 || errno != EINTR {
                    return onKey(nil)
                }
            }
        }
    }

    /// Restores the terminal's original mode; does nothing if the mode is not changed.
    static func restore() {
        mode.withLock { mode in
            guard var saved = mode.take() else { return }
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &saved)
        }
    }

    private static func changeMode() {
        mode.withLock { mode in
            var now = termios()
            guard case nil = mode, unsafe tcgetattr(STDIN_FILENO, &now) == 0 else { return }
            mode = now
            now.c_lflag &= ~tcflag_t(ICANON | ECHO)
            // Ctrl-C is handled by `Interruption`. The keys that quit or suspend the process at once are disabled,
            // since the changed mode would remain.
            let nothing = UInt8(truncatingIfNeeded: fpathconf(STDIN_FILENO, Int32(_PC_VDISABLE)))
            unsafe withUnsafeMutableBytes(of: &now.c_cc) { characters in
                unsafe characters[Int(VMIN)] = 1
                unsafe characters[Int(VTIME)] = 0
                unsafe characters[Int(VQUIT)] = nothing
                unsafe characters[Int(VSUSP)] = nothing
            }
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &now)
        }
    }
}

/// Standard output and standard error, each text written whole and at once, so that lines of workers do not mix.
enum Console {
    /// Whether standard output can show a line that is overwritten.
    static var isInteractive: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// A reader that has ended, say `| head`: it has seen enough, which is no failure.
    private static let readerHasEnded = ErrorMatcher.anywhere(.nsError(domain: NSPOSIXErrorDomain, code: Int(EPIPE)))

    private static let firstFailure = Mutex<(any Error)?>(nil)

    /// The first failure of writing to standard output; nil while there was none.
    static var failure: (any Error)? { firstFailure.withLock { $0 } }

    /// Writes a text to standard output, unchanged.
    ///
    /// If that fails, the intake goes on, and the program says so at its end.
    static func write(_ text: String) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            if readerHasEnded.match(error) == nil { firstFailure.withLock { $0 = $0 ?? error } }
        }
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
