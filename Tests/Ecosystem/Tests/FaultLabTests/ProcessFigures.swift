import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// The resources of this process; nil without `/proc` and Glibc.
struct ProcessFigures: Sendable {
    let descriptors: Int
    /// The heap memory that isn't free.
    ///
    /// Resident memory would vary by more: it includes the free memory between allocations, and that depends on which
    /// threads allocated at the same time.
    let allocatedKilobytes: Int

    static var now: ProcessFigures? {
        guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            let allocated = allocatedBytes
        else { return nil }
        return ProcessFigures(descriptors: descriptors, allocatedKilobytes: allocated / 1024)
    }

    /// What the system gave to the heap without what is free there, by Glibc's `malloc_info`.
    private static var allocatedBytes: Int? {
        #if canImport(Glibc)
            // Declare this function of Glibc, because its module doesn't export it.
            guard let symbol = unsafe dlsym(nil, "malloc_info") else { return nil }
            typealias Info = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
            var text: UnsafeMutablePointer<CChar>?
            var size = 0
            guard let stream = unsafe open_memstream(&text, &size) else { return nil }
            _ = unsafe unsafeBitCast(symbol, to: Info.self)(0, stream)
            unsafe fclose(stream)
            guard let start = unsafe text else { return nil }
            defer { unsafe free(start) }
            let report = unsafe String(cString: start)
            // The totals of all arenas stand after the last arena.
            guard let totals = report.range(of: "</heap>", options: .backwards).map({ report[$0.upperBound...] })
            else { return nil }
            func bytes(_ element: String) -> Int {
                totals.split(separator: "\n").first { $0.hasPrefix("<\(element)") }
                    .flatMap { $0.firstMatch(of: /size="(\d+)"/) }.flatMap { Int($0.1) } ?? 0
            }
            return bytes("system type=\"current\"") + bytes("total type=\"mmap\"")
                - bytes("total type=\"fast\"") - bytes("total type=\"rest\"")
        #else
            return nil
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
