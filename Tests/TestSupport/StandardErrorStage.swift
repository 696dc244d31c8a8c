import Foundation
package import StandardErrorWriter
import Testing

/// A file that replaces standard error, and its other end, for a test in a separate process.
///
/// The closures of exit tests don't capture values, so each closure creates its own stage.
package struct StandardErrorStage {
    /// The end that reads the output on standard error.
    package let reader: Int32
    /// The open file that is also standard error.
    ///
    /// Other processes would see its flags.
    package let shared: Int32

    package static func pipe() -> Self {
        var ends: [Int32] = [0, 0]
        #expect(unsafe Foundation.pipe(&ends) == 0)
        return Self(ends[0], ends[1])
    }

    package static func socket() -> Self {
        var ends: [Int32] = [0, 0]
        #if canImport(Darwin)
            #expect(unsafe socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0)
        #else
            #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        #endif
        return Self(ends[0], ends[1])
    }

    /// Opens a terminal that passes all bytes unchanged.
    package static func terminal() -> Self {
        var (reader, writer): (Int32, Int32) = (0, 0)
        #expect(unsafe openpty(&reader, &writer, nil, nil, nil) == 0)
        var attributes = termios()
        unsafe tcgetattr(writer, &attributes)
        unsafe cfmakeraw(&attributes)
        unsafe tcsetattr(writer, TCSANOW, &attributes)
        return Self(reader, writer)
    }

    private init(_ reader: Int32, _ writer: Int32) {
        self.reader = reader
        shared = writer
        dup2(writer, STDERR_FILENO)
    }

    package var flags: Int32 { fcntl(shared, F_GETFL) }

    /// Writes until no more bytes fit, then returns the number of written bytes.
    package func fill() -> Int {
        let before = flags
        _ = fcntl(shared, F_SETFL, before | O_NONBLOCK)
        defer { _ = fcntl(shared, F_SETFL, before) }
        var count = 0
        for size in [4096, 1] {
            let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: size)
            while true {
                let written = unsafe write(shared, bytes, size)
                if written <= 0 { break }
                count += written
            }
        }
        return count
    }

    /// Returns the bytes that can be read immediately.
    package func available(atMost limit: Int = .max) -> String {
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while text.count < limit, isReadable(milliseconds: 0) {
            let count = unsafe read(reader, &piece, min(piece.count, limit - text.count))
            if count <= 0 { break }
            text += piece[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads until a number of non-empty lines have arrived, or no bytes have arrived for a while.
    package func lines(_ count: Int) -> [String] {
        var (lines, rest): ([String], String) = ([], "")
        while lines.count < count || !rest.isEmpty {
            guard isReadable(milliseconds: 10_000) else { break }
            let piece = available()
            if piece.isEmpty { break }
            // Split only new output: a terminal returns a little at a time.
            let parts = (rest + piece).components(separatedBy: "\n")
            rest = parts.last ?? ""
            lines += parts.dropLast().filter { !$0.isEmpty }
        }
        return rest.isEmpty ? lines : lines + [rest]
    }

    package func isReadable(milliseconds: Int32) -> Bool {
        var request = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    package func closeReader() { close(reader) }

    /// Makes the null device standard error, because the testing library writes there when a test's process exits.
    package static func end() { dup2(unsafe open("/dev/null", O_WRONLY), STDERR_FILENO) }
}

extension StandardError {
    /// Waits until every line is written.
    package static func waitUntilWritten() {
        while pendingCount > 0 { yieldToOtherThreads() }
    }
}

extension String {
    package var nonemptyLines: [String] { split(separator: "\n").map(String.init) }
}

extension [String] {
    /// The number of lost lines that the notices among the given lines announce.
    package var countOfLost: Int {
        filter { $0.hasPrefix("error-bus: ") }.compactMap { $0.split(separator: " ").compactMap { Int($0) }.first }
            .reduce(0, +)
    }

    package var withoutNotices: [String] { filter { !$0.hasPrefix("error-bus: ") } }
}

/// Collects lines that arrive in pieces.
package struct LineCollector {
    package private(set) var lines: [String] = []
    private var rest = ""

    /// The number of lines that arrived whole or that a notice announced as lost.
    package private(set) var accounted = 0

    package init() {}

    package mutating func add(_ text: String) {
        let ended = (rest + text).components(separatedBy: "\n")
        rest = ended.last ?? ""
        let more = ended.dropLast().filter { !$0.isEmpty }
        lines += more
        accounted += more.withoutNotices.count + more.countOfLost
    }
}
