/// A response that is broken at random, but the same for the same seed: `/fuzz/17`.
///
/// Some responses are random bytes. Most are a response of `RawResponse`, or a part of it, with a few changes.
enum FuzzedResponse {
    static func bytes(_ seed: UInt64) -> [UInt8] {
        var random = SplitMix64(state: seed)
        if random.next(below: 10) == 0 {
            return (0..<random.next(below: 200)).map { _ in UInt8(random.next(below: 256)) }
        }
        var bytes = originals[random.next(below: originals.count)]
        for _ in 0...random.next(below: 4) { change(&bytes, &random) }
        return bytes
    }

    // Leave out long responses: most changes would hit only filler.
    private static let originals = RawResponse.all.keys.sorted().compactMap(RawResponse.bytes).filter { $0.count < 500 }

    /// Strings that have a meaning for a parser.
    private static let words = [
        "\r\n", "\r\n\r\n", "\n", "\r", ":", " ", "\t", ",", ";", "=", "\"", "\u{0}", "\u{ff}", "0", "-1",
        "99999999999",
        "HTTP/1.1 ", "100 Continue\r\n\r\n", "Content-Length: ", "Content-Length: 0\r\n", "Connection: close\r\n",
        "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n", "Location: /json\r\n", "Set-Cookie: a=b;",
        "WWW-Authenticate: Basic realm=\"", "HTTP/1.1 401 No\r\n", "HTTP/1.1 302 Found\r\n", "0\r\n\r\n", "{}",
    ].map { Array($0.unicodeScalars.map { UInt8($0.value) }) }

    private static func change(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        let start = random.next(below: bytes.count + 1)
        let range = start..<min(start + random.next(below: 20), bytes.count)
        switch random.next(below: 7) {
        case 0: bytes.replaceSubrange(range, with: range.map { _ in UInt8(random.next(below: 256)) })
        case 1: bytes.removeSubrange(range)
        case 2: bytes.insert(contentsOf: bytes[range], at: start)
        case 3: bytes.removeSubrange(start...)
        default: bytes.insert(contentsOf: words[random.next(below: words.count)], at: start)
        }
    }
}

/// A random number generator whose numbers depend only on its seed.
private struct SplitMix64 {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((bits ^ (bits >> 31)) % UInt64(limit))
    }
}
