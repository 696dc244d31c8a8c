import Foundation

/// The resident memory of this process.
struct ResidentMemory: CustomStringConvertible {
    /// The current size in bytes.
    let current: Int
    /// The largest size so far, in bytes; nil if the system doesn't report it.
    let peak: Int?

    /// Reads the sizes.
    static func read() throws -> ResidentMemory {
        #if os(Linux)
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            func bytes(_ name: String) throws -> Int {
                guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("\(name):") }),
                    let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
                else { throw Unreadable(text: status) }
                return kilobytes * 1024
            }
            return ResidentMemory(current: try bytes("VmRSS"), peak: try bytes("VmHWM"))
        #else
            let output = Pipe()
            let process = Process()
            process.executableURL = URL(filePath: "/bin/ps")
            process.arguments = ["-o", "rss=", "-p", "\(ProcessInfo.processInfo.processIdentifier)"]
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard let kilobytes = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw Unreadable(text: text)
            }
            return ResidentMemory(current: kilobytes * 1024, peak: nil)
        #endif
    }

    /// An error for system output in an unexpected format.
    struct Unreadable: Error {
        let text: String
    }

    var description: String {
        "\(Self.megabytes(current)) resident" + (peak.map { ", \(Self.megabytes($0)) at most so far" } ?? "")
    }

    static func megabytes(_ bytes: Int) -> String {
        (Double(bytes) / 1_048_576).formatted(.number.precision(.fractionLength(1))) + " MiB"
    }
}
