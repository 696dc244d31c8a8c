private let processRoot = Locked<ErrorBus?>(nil)

extension ErrorBus {
    /// The process's bus, for threads and callbacks that are in no task; nil where no bus has become it.
    public static var root: ErrorBus? { processRoot.withLock { $0 } }

    /// Makes this the process's bus, until its run has returned.
    ///
    /// There is one at a time: a second is a programming error, and so is one that has ended already. Doing it twice
    /// with one bus is the same as once.
    public func becomeRoot() {
        if hasEnded {
            fatalError("ErrorBus.becomeRoot(): this bus has ended; only one that still delivers can be the root")
        }
        let isFree = processRoot.withLock { root in
            if root == nil { root = self }
            return root === self
        }
        if !isFree { fatalError("ErrorBus.becomeRoot(): another bus is the root, and its run has not returned") }
        // It may have ended meanwhile, before there was anything to resign from.
        if hasEnded { resignRoot() }
    }

    func resignRoot() {
        // What is let go may be the last reference to the bus, and must not end under the lock.
        let former = processRoot.withLock { root -> ErrorBus? in
            guard root === self else { return nil }
            return root.take()
        }
        withExtendedLifetime(former) {}
    }
}
