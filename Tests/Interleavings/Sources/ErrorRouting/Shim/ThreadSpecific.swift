import Exploration
import Glibc

/// The thread-specific values of a scenario's threads, which all share one system thread.
enum ThreadSpecific {
    typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void

    nonisolated(unsafe) private static var values = unsafe [[UnsafeMutableRawPointer?]](
        repeating: [], count: Explorer.maximumThreads)
    nonisolated(unsafe) fileprivate static var destructors = unsafe [Destructor]()

    fileprivate static subscript(key: pthread_key_t) -> UnsafeMutableRawPointer? {
        get {
            let values = unsafe values[Explorer.thread]
            return unsafe Int(key) < values.count ? values[Int(key)] : nil
        }
        set {
            while unsafe values[Explorer.thread].count <= Int(key) { unsafe values[Explorer.thread].append(nil) }
            unsafe values[Explorer.thread][Int(key)] = unsafe newValue
        }
    }

    /// Calls the destructors because a thread has finished.
    static func end() {
        for key in unsafe values[Explorer.thread].indices {
            guard let value = unsafe self[pthread_key_t(key)] else { continue }
            unsafe self[pthread_key_t(key)] = nil
            unsafe destructors[key](value)
        }
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func pthread_key_create(_ key: inout pthread_key_t, _ destructor: @escaping ThreadSpecific.Destructor) -> Int32 {
    key = pthread_key_t(unsafe ThreadSpecific.destructors.count)
    unsafe ThreadSpecific.destructors.append(destructor)
    return 0
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func pthread_getspecific(_ key: pthread_key_t) -> UnsafeMutableRawPointer? { unsafe ThreadSpecific[key] }

// swift-format-ignore: AlwaysUseLowerCamelCase
func pthread_setspecific(_ key: pthread_key_t, _ value: UnsafeRawPointer?) -> Int32 {
    unsafe ThreadSpecific[key] = unsafe UnsafeMutableRawPointer(mutating: value)
    return 0
}
