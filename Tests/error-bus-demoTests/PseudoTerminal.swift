import ErrorRouting
import Foundation

/// A terminal for a test, which reads what is written to it, and presses keys.
final class PseudoTerminal: Sendable {
    struct NotThere: Error {}

    private let keyboard: FileHandle
    /// The end for the process.
    let line: FileHandle
    private let output = Locked("")

    init() throws {
        let (descriptor, name) = try Self.openPair()
        let end = unsafe name.withCString { unsafe open($0, O_RDWR | O_NOCTTY) }
        guard end >= 0 else { throw NotThere() }
        keyboard = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        line = FileHandle(fileDescriptor: end, closeOnDealloc: true)
        // A thread of its own, and not one of the pool's: reading blocks.
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0, let self else { return }
                self.output.withLock { $0 += String(decoding: buffer[..<count], as: UTF8.self) }
            }
        }
    }

    /// All that was written by now.
    var text: String { output.withLock { $0 } }

    /// Whether keys are echoed and wait for the end of a line, as in a shell.
    var isInLineMode: Bool {
        var mode = termios()
        guard unsafe tcgetattr(line.fileDescriptor, &mode) == 0 else { return false }
        return mode.c_lflag & tcflag_t(ICANON) != 0 && mode.c_lflag & tcflag_t(ECHO) != 0
    }

    func press(_ key: Character) throws { try keyboard.write(contentsOf: Data(String(key).utf8)) }

    /// Waits until a text has been written a number of times; if it never is, the suite's time limit fails the test.
    func wait(for words: String, times: Int = 1) async {
        while count(of: words) < times { await Task.yield() }
    }

    /// How often a text has been written by now.
    func count(of words: String) -> Int { text.components(separatedBy: words).count - 1 }

    /// The keyboard's end, and the name of the other.
    private static func openPair() throws -> (descriptor: Int32, name: String) {
        #if os(Linux)
            // `posix_openpt` and its like are not in Swift's module of the C library; these are what they do, by the
            // numbers of `TIOCSPTLCK` and `TIOCGPTN`, macros that are not in there either.
            let descriptor = unsafe "/dev/ptmx".withCString { unsafe open($0, O_RDWR | O_NOCTTY) }
            var (isLocked, number): (Int32, Int32) = (0, 0)
            guard descriptor >= 0, unsafe ioctl(descriptor, 0x4004_5431, &isLocked) == 0,
                unsafe ioctl(descriptor, 0x8004_5430, &number) == 0
            else { throw NotThere() }
            return (descriptor, "/dev/pts/\(number)")
        #else
            let descriptor = posix_openpt(O_RDWR | O_NOCTTY)
            guard descriptor >= 0, grantpt(descriptor) == 0, unlockpt(descriptor) == 0,
                let name = unsafe ptsname(descriptor)
            else { throw NotThere() }
            return (descriptor, unsafe String(cString: name))
        #endif
    }
}
