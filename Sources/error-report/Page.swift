import ErrorReplay
import Foundation

/// An HTML file that contains its style, its script, and the recorded errors as data.
///
/// A content security policy in the page allows only this style and this script, by their hashes. Any other style or
/// script is blocked.
struct Page {
    /// The maximum size of the page in bytes.
    ///
    /// Browsers need several seconds for larger pages, and mail servers reject them.
    static let limit = 2_000_000

    let bytes: [UInt8]

    /// Creates a page of at most `limit` bytes.
    init(_ incident: Incident, limit: Int = Self.limit) {
        let (style, script) = (PackageResources.page_css, PackageResources.page_js)
        let parts: [String: [UInt8]] = [
            "style": style, "script": script,
            "styleHash": Array("sha256-\(Data(SHA256.hash(of: style)).base64EncodedString())".utf8),
            "scriptHash": Array("sha256-\(Data(SHA256.hash(of: script)).base64EncodedString())".utf8),
        ]
        // Add the data last, so that it isn't mistaken for a placeholder of the template.
        let shell = PackageResources.page_html.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
            .enumerated().map { index, part in
                index.isMultiple(of: 2) ? Array(part) : parts[String(decoding: part, as: UTF8.self)]
            }
        let size = shell.reduce(0) { $0 + ($1?.count ?? 0) }
        bytes = shell.flatMap { $0 ?? incident.json(limit: limit - size) }
    }
}

/// Computes SHA-256 hashes (FIPS 180-4), with which a content security policy identifies a style or script.
enum SHA256 {
    private static let primes = (2..<312).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
    /// Returns the first 32 bits of the fractional part of a root.
    private static func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 4_294_967_296) }

    static func hash(of message: [UInt8]) -> [UInt8] {
        let constants = primes.map { prime in
            // Compute the root with Newton's method, because the C library's result can differ between platforms.
            var root = Double(prime)
            for _ in 0..<60 { root = (2 * root + Double(prime) / (root * root)) / 3 }
            return fraction(root)
        }
        var state = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
        let padding = [0x80] + [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
        let length = (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> (56 - 8 * $0)) }
        let padded = message + padding + length
        for start in stride(from: 0, to: padded.count, by: 64) {
            var words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(padded[start + 4 * word + $1]) }
            }
            for index in 16..<64 {
                let (first, second) = (words[index - 15], words[index - 2])
                let low = rotate(first, 7) ^ rotate(first, 18) ^ first >> 3
                let high = rotate(second, 17) ^ rotate(second, 19) ^ second >> 10
                words.append(words[index - 16] &+ low &+ words[index - 7] &+ high)
            }
            var row = state
            for index in 0..<64 {
                let mixed = rotate(row[4], 6) ^ rotate(row[4], 11) ^ rotate(row[4], 25)
                let choice = row[4] & row[5] ^ ~row[4] & row[6]
                let first = row[7] &+ mixed &+ choice &+ constants[index] &+ words[index]
                let turned = rotate(row[0], 2) ^ rotate(row[0], 13) ^ rotate(row[0], 22)
                let majority = row[0] & row[1] ^ row[0] & row[2] ^ row[1] & row[2]
                row = [first &+ turned &+ majority] + row[0..<3] + [row[3] &+ first] + row[4..<7]
            }
            state = zip(state, row).map { $0 &+ $1 }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
}
