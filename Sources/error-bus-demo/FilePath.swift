import Foundation

/// A path as the system represents it: bytes, which need not be UTF-8.
///
/// Foundation's paths are strings. They replace invalid bytes by U+FFFD, so that the file is not found.
struct FilePath: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The path without the zero byte that ends it in C.
    let bytes: [UInt8]

    init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    init(_ path: String) {
        self.init(bytes: path.utf8)
    }

    init(stringLiteral path: String) {
        self.init(path)
    }

    /// Makes a path from its `text`; nil if an escape in it is not valid.
    init?(text: String) {
        guard text.hasPrefix(Self.scheme) else {
            self.init(text)
            return
        }
        var bytes: [UInt8] = []
        var rest = text.dropFirst(Self.scheme.count).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = Substring(rest.prefix(2))
            guard digits.count == 2, digits.allSatisfy(\.isHexDigit), let escaped = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        self.init(bytes: bytes)
    }

    /// The path for people and for reports: the path itself if it is UTF-8, else the file's URL with escaped bytes.
    ///
    /// A relative path that is not UTF-8 is escaped without the URL's scheme.
    var text: String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let escaped = bytes.map { byte in
            let isPlain = byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "%")
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : byte < 0x10 ? "%0\(digits)" : "%\(digits)"
        }
        return (bytes.first == Self.slash ? Self.scheme : "") + escaped.joined()
    }

    private static let scheme = "file://"
    private static let slash = UInt8(ascii: "/")

    /// The part after the last slash.
    var name: FilePath { FilePath(bytes: bytes[nameStart...]) }

    /// The part before the last slash.
    var folder: FilePath { FilePath(bytes: bytes[..<max(nameStart - 1, 0)]) }

    private var nameStart: Int { bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0 }

    /// Returns the path of an entry of this folder.
    func appending(_ name: FilePath) -> FilePath { FilePath(bytes: bytes + [Self.slash] + name.bytes) }

    /// Calls a closure with the path as a C string.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        try unsafe (bytes.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { buffer in
            try unsafe body(buffer.baseAddress!)
        }
    }
}

extension FilePath {
    /// Returns the absolute path without links.
    func resolved() throws(POSIXError) -> FilePath {
        guard let path = unsafe withCString({ unsafe realpath($0, nil) }) else { throw .current }
        defer { unsafe free(path) }
        return unsafe FilePath(cString: path)
    }

    /// Returns the names of this folder's entries, in no order.
    func entryNames() throws(POSIXError) -> [FilePath] {
        guard let stream = unsafe withCString({ unsafe opendir($0) }) else { throw .current }
        defer { unsafe closedir(stream) }
        // Not with `pointee`: an entry is only as long as its name needs, which may be shorter than its type.
        let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!
        var names: [FilePath] = []
        while true {
            // `readdir` returns nil at the end and for a failure; only `errno` differs.
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                if errno != 0 { throw .current }
                return names
            }
            let name = unsafe UnsafeRawPointer(entry) + nameOffset
            let path = unsafe FilePath(cString: name.assumingMemoryBound(to: CChar.self))
            if path != ".", path != ".." { names.append(path) }
        }
    }

    /// The words of the command line after the program's name.
    static var arguments: [FilePath] {
        (0..<Int(CommandLine.argc)).dropFirst().compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { unsafe FilePath(cString: $0) }
        }
    }

    private init(cString: UnsafePointer<CChar>) {
        let characters = unsafe UnsafeBufferPointer(start: cString, count: strlen(cString))
        unsafe self.init(bytes: characters.map(UInt8.init(bitPattern:)))
    }
}

extension POSIXError {
    /// The error of the last system call; to be read right after the call.
    static var current: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
