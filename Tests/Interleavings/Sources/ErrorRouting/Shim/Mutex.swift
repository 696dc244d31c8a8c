import Exploration

/// Shadows `Synchronization.Mutex`, so that locking is a step of the explorer.
@safe struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private struct Content: ~Copyable {
        var isHeld = false
        var value: Value

        init(_ value: consuming Value) { self.value = value }
    }

    /// The content, which is allocated separately because its address identifies the location.
    private let content: UnsafeMutablePointer<Content>

    init(_ value: consuming sending Value) {
        unsafe content = .allocate(capacity: 1)
        unsafe UnsafeMutableRawPointer(content).initializeMemory(as: Content.self, to: Content(value))
    }

    deinit {
        unsafe content.deinitialize(count: 1)
        unsafe content.deallocate()
    }

    func withLock<Result: ~Copyable, Failure: Error>(
        file: StaticString = #fileID, line: UInt = #line,
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe Explorer.active?.lock(UInt(bitPattern: content), at: Site(file, line))
        return try callHolding(body, Site(file, line))
    }

    func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        file: StaticString = #fileID, line: UInt = #line,
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        if let explorer = Explorer.active {
            guard unsafe explorer.tryLock(UInt(bitPattern: content), at: Site(file, line)) else { return nil }
        } else if unsafe content[0].isHeld {
            return nil
        }
        return try callHolding(body, Site(file, line))
    }

    @inline(__always)
    private func callHolding<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result, _ site: Site
    ) throws(Failure) -> sending Result {
        unsafe content[0].isHeld = true
        defer {
            unsafe content[0].isHeld = false
            unsafe Explorer.active?.unlock(UInt(bitPattern: content), at: site)
        }
        return try unsafe body(&content[0].value)
    }
}
