import Foundation

// The parts of a request can come from anywhere: an identifier in a path, a token from a file, a name in a header. So
// the client checks them before it sends anything. The errors describe the fault, but don't contain the faulty value.

extension TransportRequest {
    /// The header fields that determine where a body ends.
    ///
    /// If the length is wrong, `URLSession` truncates the body or doesn't send it.
    private static let framing: Set = ["content-length", "transfer-encoding"]

    /// Throws if the method or a header field could change another part of the message, or if no time is left.
    func check() throws(NetworkError) {
        if let timeout, timeout <= .zero { throw NetworkError(.timeout, cause: NoTimeLeft()) }
        guard method.rawValue.isToken else { throw NetworkError(.encoding, detail: "the method is not a token") }
        for (name, value) in headers.fields {
            guard name.isToken else {
                throw NetworkError(.encoding, detail: "the name of a header field is not a token")
            }
            guard !Self.framing.contains(name.lowercased()) else {
                throw NetworkError(.encoding, detail: "the header field \(name) is the transport's to set")
            }
            guard !value.hasControl else {
                throw NetworkError(
                    .encoding, detail: "the value of the header field \(name) contains a control character")
            }
        }
    }
}

/// The cause of a timeout that occurred before the request was sent.
struct NoTimeLeft: Error {}

extension String {
    /// Whether the string is a token as defined by RFC 9110, section 5.6.2.
    var isToken: Bool { !isEmpty && utf8.allSatisfy(Self.tokenBytes.contains) }

    /// Whether the string contains a control character that isn't a tab.
    var hasControl: Bool { utf8.contains { $0.isControl && $0 != UInt8(ascii: "\t") } }

    /// Returns the string with all bytes percent-encoded, except ASCII letters and digits and the ASCII characters in
    /// `others`.
    ///
    /// If `keepsEscapes` is true, a percent sign followed by two hexadecimal digits isn't encoded again.
    func percentEncoded(keeping others: String, keepsEscapes: Bool = false) -> String {
        let kept = CharacterSet(charactersIn: Self.alphanumerics + others)
        // The method returns nil only for invalid Unicode, which a Swift string can't contain.
        let encoded = addingPercentEncoding(withAllowedCharacters: kept) ?? ""
        // Restore the escapes, because their percent signs were encoded too.
        return keepsEscapes ? encoded.replacing(/%25(?=[0-9A-Fa-f]{2})/, with: "%") : encoded
    }

    /// The string, percent-encoded as the client sends it in a path.
    var encodedAsPath: String { percentEncoded(keeping: "-._~!$&'()*+,;=:@/", keepsEscapes: true) }

    private static let alphanumerics = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let tokenBytes = Set((alphanumerics + "!#$%&'*+-.^_`|~").utf8)
}

extension UInt8 {
    fileprivate var isControl: Bool { self < 0x20 || self == 0x7F }
}

/// Finds a part of a path that could lead out of the base URL.
enum PathFault {
    /// Returns a path's fault as the end of a sentence; nil if the path is valid.
    ///
    /// The path is decoded repeatedly until no escapes are left: the client encodes it, but servers and proxies might
    /// decode it more than once.
    static func find(in path: String) -> String? {
        // Compare bytes: a slash with a combining accent is a different character, but it also separates segments.
        let bytes = decoded(path.utf8)
        if String(validating: bytes, as: UTF8.self) == nil { return "contains encoded bytes that are no text" }
        if bytes.contains(where: \.isControl) { return "contains a control character" }
        if bytes.contains(UInt8(ascii: "\\")) { return "contains a backslash" }
        if bytes.starts(with: "//".utf8) { return "begins with two slashes" }
        // Ignore a segment's parameters, because some servers remove them before they resolve the segment.
        let names = bytes.split(separator: UInt8(ascii: "/")).map { $0.prefix { $0 != UInt8(ascii: ";") } }
        if names.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
            return "contains a segment of dots"
        }
        return nil
    }

    /// Decodes each `%` followed by two hexadecimal digits, including escapes that result from decoding.
    private static func decoded(_ bytes: String.UTF8View) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            result.append(byte)
            while let value = encodedByte(atEndOf: result) {
                result.replaceSubrange((result.count - 3)..., with: [value])
            }
        }
        return result
    }

    private static func encodedByte(atEndOf bytes: [UInt8]) -> UInt8? {
        guard bytes.count >= 3, bytes[bytes.count - 3] == UInt8(ascii: "%") else { return nil }
        let digits = bytes.suffix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return digits.count == 2 ? UInt8(digits[0] * 16 + digits[1]) : nil
    }
}
