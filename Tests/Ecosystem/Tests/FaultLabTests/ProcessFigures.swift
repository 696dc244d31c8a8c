import Foundation
import Testing

/// The resources of this process; nil without `/proc` and Glibc.
struct ProcessFigures: Sendable {
    let descriptors: Int
    /// The allocated heap memory.
    let allocatedKilobytes: Int

    static var now: ProcessFigures? {
        guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            let allocated = allocatedSize()
        else { return nil }
        return ProcessFigures(descriptors: descriptors, allocatedKilobytes: allocated / 1024)
    }
}

/// The resources of another process, as the system counts them; nil without `/proc`.
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
