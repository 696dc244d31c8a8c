import Foundation
import Synchronization

/// The terminal that somebody sits at: its keys one by one, as they are pressed, and without an echo.
enum Terminal {
    /// The mode that it had, and is to have again; nil so long as it was not changed.
    private static let mode = Mutex<termios?>(nil)

    /// Whether there is one, to read from and to write to.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Takes the keys from here on, until ``restore()`` or the end of the process.
    ///
    /// - Parameter onKey: Called on a thread of its own, with nil when there are no more.
    static func takeKeys(_ onKey: @escaping @Sendable (UInt8?) -> Void) {
        // Before the mode is changed: whatever ends the process from here on gives it back.
        atexit { Terminal.restore() }
        changeMode()
        // Reading blocks, and nothing ends it but the process.
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

    /// Gives the terminal the mode back that it had; does nothing where it was not changed.
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
            // Ctrl-C ends the program in good order. What would end or stop it at once would leave the mode as it is.
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
