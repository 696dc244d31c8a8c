import Synchronization

/// The process's root bus, which posters read without a lock.
enum ProcessRoot {
    /// One for each time that a bus has become the root; kept for good, since a poster may still be reading it.
    private final class Entry: Sendable {
        let bus: Weak<ErrorBus>

        init(_ bus: ErrorBus) { self.bus = Weak(bus) }
    }

    private static let state = Locked((bus: nil as ErrorBus?, entries: [] as [Entry]))
    /// The address of the root's entry; 0 if there is no root.
    private static let current = Atomic<UInt>(0)

    /// The root; nil if there is none.
    static var bus: ErrorBus? {
        guard let entry = unsafe UnsafeRawPointer(bitPattern: current.load(ordering: .acquiring)) else { return nil }
        return unsafe Unmanaged<Entry>.fromOpaque(entry)._withUnsafeGuaranteedRef { $0.bus.object }
    }

    /// Makes a bus the root, unless another one is; returns whether it is now.
    static func set(_ bus: ErrorBus) -> Bool {
        state.withLock { state in
            if let root = state.bus { return root === bus }
            let entry = Entry(bus)
            state.bus = bus
            state.entries.append(entry)
            unsafe current.store(UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque()), ordering: .releasing)
            return true
        }
    }

    /// Leaves the process without a root, if a bus is it.
    static func remove(_ bus: ErrorBus) {
        // This may be the last reference to the bus, whose deinitializer must not run under the lock.
        let former = state.withLock { state -> ErrorBus? in
            guard state.bus === bus else { return nil }
            current.store(0, ordering: .releasing)
            return state.bus.take()
        }
        withExtendedLifetime(former) {}
    }
}
