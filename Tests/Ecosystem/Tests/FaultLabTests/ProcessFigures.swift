import Foundation

/// What the process has, as the system counts it; nil where there is no `/proc`.
struct ProcessFigures: Sendable {
    let descriptors: Int
    let residentKilobytes: Int

    static var now: ProcessFigures? {
        guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let resident = Int(line.filter(\.isNumber))
        else { return nil }
        return ProcessFigures(descriptors: descriptors, residentKilobytes: resident)
    }
}
