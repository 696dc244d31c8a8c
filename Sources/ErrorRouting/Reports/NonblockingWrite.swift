#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// One write to a pipe that does not wait although its open file says that writes do.
///
/// Linux has a call for that, which Swift's C library modules do not show: `pwritev2` with `RWF_NOWAIT`, for pipes
/// since 6.4. It needs no descriptor, so it works where there is none left, and where the pipe may not be opened again,
/// as after a change of user. Where the library or the kernel has it not, the pipe is opened again instead.
enum NonblockingWrite {
    #if os(Linux) || os(Android)
        private typealias Function =
            @convention(c) @Sendable (Int32, UnsafePointer<iovec>, Int32, Int, Int32) -> Int

        private static let function: Function? = {
            // The offset is an `Int` only here.
            guard Int.bitWidth == 64, let symbol = unsafe dlsym(nil, "pwritev2") else { return nil }
            // A function of that name has that type in every C library for Linux.
            return unsafe unsafeBitCast(symbol, to: Function.self)
        }()

        static func attempt(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> StandardErrorDescriptor.Attempt {
            guard let function = unsafe function else { return .impossible }
            var piece = unsafe iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
            let noWaiting: Int32 = 8
            let result = unsafe function(descriptor, &piece, 1, -1, noWaiting)
            switch result < 0 ? errno : 0 {
            // A sandbox may say that the call is not permitted.
            case EOPNOTSUPP, ENOSYS, EINVAL, EPERM: return .impossible
            default: return StandardErrorDescriptor.Attempt(result)
            }
        }
    #else
        static func attempt(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> StandardErrorDescriptor.Attempt {
            .impossible
        }
    #endif
}
