import Foundation
import Testing

/// What another process has, as the system counts it; nil where there is no `/proc`.
struct ProcessStatus: Sendable {
    let descriptors: Int
    let residentKilobytes: Int
    let peakKilobytes: Int

    init?(of process: ServiceProcess) {
        let folder = "/proc/\(process.id)"
        guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count,
            let status = try? String(contentsOfFile: folder + "/status", encoding: .utf8)
        else { return nil }
        func kilobytes(_ name: String) -> Int? {
            status.split(separator: "\n").first { $0.hasPrefix(name + ":") }.flatMap { Int($0.filter(\.isNumber)) }
        }
        guard let resident = kilobytes("VmRSS"), let peak = kilobytes("VmHWM") else { return nil }
        self.descriptors = descriptors
        residentKilobytes = resident
        peakKilobytes = peak
    }
}
