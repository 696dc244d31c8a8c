import Foundation

/// The resident memory of this process in bytes; 0 if the system doesn't provide a file with it.
package func residentSize() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? "0 0"
    return (Int(text.split(separator: " ")[1]) ?? 0) * Int(getpagesize())
}

/// Whether freed memory stays in use for a while, as it does under the address sanitizer.
package var keepsFreedMemory: Bool { unsafe dlsym(nil, "__asan_init") != nil }

/// Whether the thread sanitizer is in use, which keeps a record of each task and timer.
package var keepsRecordsOfTasks: Bool { unsafe dlsym(nil, "__tsan_init") != nil }
