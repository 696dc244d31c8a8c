import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// The functions of the system's zlib, found when the first compressed file is read: the package depends on no library,
/// and works where there is none.
///
/// The library stays loaded, so that its functions can be called from any thread for as long as the process lives.
@safe struct ZLib: Sendable {
    /// What `z_stream` is in C, on platforms where `long` is as wide as a pointer.
    @safe struct Stream {
        var input: UnsafeMutablePointer<UInt8>?
        var inputCount: UInt32 = 0
        var totalInput: UInt = 0
        var output: UnsafeMutablePointer<UInt8>?
        var outputCount: UInt32 = 0
        var totalOutput: UInt = 0
        var message: UnsafePointer<CChar>?
        var state: OpaquePointer?
        var allocate: OpaquePointer?
        var free: OpaquePointer?
        var opaque: OpaquePointer?
        var dataType: Int32 = 0
        var checksum: UInt = 0
        var reserved: UInt = 0
    }

    typealias Begin = @convention(c) (UnsafeMutableRawPointer, Int32, UnsafePointer<CChar>, Int32) -> Int32
    typealias Inflate = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
    typealias Step = @convention(c) (UnsafeMutableRawPointer) -> Int32

    /// What the functions return.
    enum Code {
        static let ok: Int32 = 0
        static let endOfStream: Int32 = 1
        static let noProgress: Int32 = -5
    }

    let inflate: Inflate
    let reset: Step
    let end: Step
    private let begin: Begin

    /// The system's zlib; nil where there is none.
    static let system = ZLib()

    private init?() {
        #if canImport(Darwin)
            let name = "/usr/lib/libz.1.dylib"
        #else
            let name = "libz.so.1"
        #endif
        guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL),
            let begin = unsafe dlsym(library, "inflateInit2_"), let inflate = unsafe dlsym(library, "inflate"),
            let reset = unsafe dlsym(library, "inflateReset"), let end = unsafe dlsym(library, "inflateEnd")
        else { return nil }
        // The types are those of zlib.h.
        unsafe self.begin = unsafeBitCast(begin, to: Begin.self)
        unsafe self.inflate = unsafeBitCast(inflate, to: Inflate.self)
        unsafe self.reset = unsafeBitCast(reset, to: Step.self)
        unsafe self.end = unsafeBitCast(end, to: Step.self)
    }

    /// Begins to read gzip.
    ///
    /// - Returns: Whether it could: the library compares the size of `z_stream` with its own.
    func begin(_ stream: UnsafeMutablePointer<Stream>) -> Bool {
        let gzipOnly: Int32 = 16 + 15
        return unsafe begin(stream, gzipOnly, "1", Int32(MemoryLayout<Stream>.size)) == Code.ok
    }
}
