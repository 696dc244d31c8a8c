import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// The resources of this process, as the system counts them; nil without `/proc`.
struct ProcessFigures: Sendable {
    let descriptors: Int
    let residentKilobytes: Int

    static var now: ProcessFigures? {
        // Return freed memory to the system first, so that only memory in use is counted.
        trim()
        guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let resident = Int(line.filter(\.isNumber))
        else { return nil }
        return ProcessFigures(descriptors: descriptors, residentKilobytes: resident)
    }

    private static func trim() {
        #if canImport(Glibc)
            // Declare this function of Glibc, because its module doesn't export it.
            guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
            typealias Trim = @convention(c) (Int) -> CInt
            _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
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
