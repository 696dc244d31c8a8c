// What Swift itself declares on Darwin (stdlib/public/Platform/Platform.swift and POSIXError.swift, and its module
// ObjectiveC), with the prefix D_ as in Darwin.h.
@_exported import DarwinC
public var D_errno: Int32 { get { 0 } set {} }
public func D_open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { 0 }
public func D_open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: D_mode_t) -> Int32 { 0 }
public func D_fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { 0 }
public func D_fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { 0 }
public func D_fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { 0 }
public func D_ioctl(_ fd: CInt, _ request: UInt, _ value: CInt) -> CInt { 0 }
public func D_ioctl(_ fd: CInt, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> CInt { 0 }
public func D_ioctl(_ fd: CInt, _ request: UInt) -> CInt { 0 }
public var D_S_IFMT: D_mode_t { 0o170000 }
public var D_S_IFIFO: D_mode_t { 0o010000 }
public var D_S_IFCHR: D_mode_t { 0o020000 }
public var D_S_IFDIR: D_mode_t { 0o040000 }
public var D_S_IFBLK: D_mode_t { 0o060000 }
public var D_S_IFREG: D_mode_t { 0o100000 }
public var D_S_IFLNK: D_mode_t { 0o120000 }
public var D_S_IFSOCK: D_mode_t { 0o140000 }
public var D_SIG_DFL: D_sig_t? { nil }
public var D_SIG_IGN: D_sig_t { unsafe unsafeBitCast(1, to: D_sig_t.self) }
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
// Of Foundation, which has it on Darwin alone.
public struct LocalizedStringResource: ExpressibleByStringLiteral, Sendable {
    public init(stringLiteral key: String) {}
}
extension String { public init(localized resource: LocalizedStringResource) { self = "" } }
