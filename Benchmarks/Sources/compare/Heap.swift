#if canImport(Glibc)
    import Glibc
#endif

/// The system's allocator.
///
/// The allocator merges freed blocks only when a larger block is requested, but then it merges all of them. After many
/// thousand scopes, merging takes longer than the measurement that it interrupts.
struct Heap {
    #if canImport(Glibc)
        /// The function `malloc_trim`, which the module `Glibc` doesn't export.
        private let trim = dlsym(nil, "malloc_trim").map {
            unsafeBitCast($0, to: (@convention(c) (Int) -> CInt).self)
        }
    #endif

    /// Makes the allocator merge freed blocks immediately, on systems that provide `malloc_trim`.
    func tidyUp() {
        #if canImport(Glibc)
            _ = trim?(0)
        #endif
    }
}
