import Foundation

/// Runs code on threads with a large stack, because the stacks of the concurrency pool's threads are small.
enum BigStack {
    /// The stack size in bytes.
    ///
    /// It suffices for source code within the limits of ``Nesting``, even in a debug build. The system maps only the
    /// pages that are used.
    private static let size = 256 << 20

    /// Calls a closure for each element, in parallel on as many threads as there are cores.
    ///
    /// - Returns: The results, in the order of the elements.
    static func map<Element: Sendable, Value: Sendable>(
        _ elements: [Element], _ transform: @escaping @Sendable (Element) -> Value
    ) async -> [Value] {
        let workers = min(ProcessInfo.processInfo.activeProcessorCount, elements.count)
        let parts = await withTaskGroup(of: [(Int, Value)].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let thread = Thread {
                            let indices = stride(from: worker, to: elements.count, by: workers)
                            continuation.resume(returning: indices.map { ($0, transform(elements[$0])) })
                        }
                        thread.stackSize = size
                        thread.start()
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        return parts.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
