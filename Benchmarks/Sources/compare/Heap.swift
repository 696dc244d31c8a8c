#if canImport(Glibc)
    import Glibc
#endif

/// The system's allocator.
///
/// What is freed it sorts in and joins together later, in one go: at the next request for a larger block, whoever makes
/// that. After many thousand scopes it takes longer than what is measured.
struct Heap {
    #if canImport(Glibc)
        /// `malloc_trim`, which the library's module does not show.
        private let trim = dlsym(nil, "malloc_trim").map {
            unsafeBitCast($0, to: (@convention(c) (Int) -> CInt).self)
        }
    #endif

    /// Lets it do so now, where that can be asked for.
    func tidyUp() {
        #if canImport(Glibc)
            _ = trim?(0)
        #endif
    }
}
