#if canImport(Glibc)
    import Glibc
#endif

/// The system's allocator.
///
/// The allocator merges freed blocks later and all at once, at the next request for a larger block. After many thousand
/// scopes this takes longer than the measurement in which it happens.
struct Heap {
    #if canImport(Glibc)
        /// The function `malloc_trim`, which the module `Glibc` does not export.
        private let trim = dlsym(nil, "malloc_trim").map {
            unsafeBitCast($0, to: (@convention(c) (Int) -> CInt).self)
        }
    #endif

    /// Makes the allocator merge freed blocks immediately, if it has a function for that.
    func tidyUp() {
        #if canImport(Glibc)
            _ = trim?(0)
        #endif
    }
}
