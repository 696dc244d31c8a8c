import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The size of this process's heap memory in bytes, without the free parts; nil without Glibc.
///
/// Resident memory varies by more than a leak, because it includes the free parts between allocations. Their size depends
/// on which threads allocated at the same time.
package func allocatedSize() -> Int? {
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
        // The totals of all arenas follow the last arena.
        guard let last = report.range(of: "</heap>", options: .backwards) else { return nil }
        let totals = report[last.upperBound...].split(separator: "\n")
        func bytes(_ element: String) -> Int {
            totals.first { $0.hasPrefix("<\(element)") }.flatMap { $0.firstMatch(of: /size="(\d+)"/) }
                .flatMap { Int($0.1) } ?? 0
        }
        return bytes(#"system type="current""#) + bytes(#"total type="mmap""#) - bytes(#"total type="fast""#)
            - bytes(#"total type="rest""#)
    #else
        return nil
    #endif
}
