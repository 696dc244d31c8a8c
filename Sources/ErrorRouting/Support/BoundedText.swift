/// A text of no more than so many bytes of UTF-8; it ends in `…` where something was left out.
///
/// What does not fit is not read: a text of 100 MB costs what its first bytes cost.
struct BoundedText {
    /// What stands for what was left out.
    static let mark = "…"

    /// How many bytes the text may have, the mark included.
    let limit: Int
    /// Whether something was left out; nothing is taken any more then.
    private(set) var isCut = false
    private var bytes: [UInt8] = []

    /// Makes an empty text.
    init(limit: Int) {
        assert(limit >= Self.mark.utf8.count, "there has to be room for the mark")
        self.limit = limit
    }

    /// How many bytes are there by now.
    var count: Int { bytes.count }

    /// What is there by now.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds a text, as far as there is room.
    mutating func append(_ text: some StringProtocol) {
        guard !isCut else { return }
        // Asked by index, since a text that Foundation made may have to count its bytes one by one.
        if let end = text.utf8.index(text.startIndex, offsetBy: limit - bytes.count, limitedBy: text.endIndex),
            end != text.endIndex
        {
            bytes.append(contentsOf: text.utf8[..<end])
            cut(at: limit)
        } else {
            bytes.append(contentsOf: text.utf8)
        }
    }

    /// Adds a scalar, or ends the text at a place before it.
    ///
    /// - Parameters:
    ///   - scalar: The scalar.
    ///   - place: Where the text may end without breaking up what belongs together.
    mutating func append(_ scalar: Unicode.Scalar, cuttingAt place: Int) {
        if let scalar = UTF8.encode(scalar) { append(scalar, cuttingAt: place) }
    }

    /// Adds bytes of UTF-8 that belong together, or ends the text at a place before them.
    mutating func append(_ unit: some Collection<UInt8>, cuttingAt place: Int) {
        guard !isCut else { return }
        if bytes.count + unit.count > limit { cut(at: place) } else { bytes.append(contentsOf: unit) }
    }

    /// The last place not after `count` at which the text may still end: there has to be room for the mark.
    func place(orBefore place: Int) -> Int { count + Self.mark.utf8.count <= limit ? count : place }

    /// Ends the text at a place, as if nothing after it had fitted.
    mutating func end(at place: Int) { cut(at: place) }

    private mutating func cut(at place: Int) {
        var end = min(place, limit - Self.mark.utf8.count, bytes.count)
        // Not within a scalar.
        while end > 0, end < bytes.count, UTF8.isContinuation(bytes[end]) { end -= 1 }
        bytes.removeSubrange(end...)
        bytes.append(contentsOf: Self.mark.utf8)
        isCut = true
    }

    /// Sorts parts that were added one after the other, each with a separator after it but the last.
    ///
    /// - Parameters:
    ///   - starts: Where the parts begin.
    ///   - separator: What stands between them.
    mutating func sort(partsAt starts: [Int], separator: String) {
        guard !isCut, let first = starts.first else { return }
        let ends = starts.dropFirst().map { $0 - separator.utf8.count } + [bytes.count]
        let parts = zip(starts, ends).map { bytes[$0..<$1] }.sorted { $0.lexicographicallyPrecedes($1) }
        bytes.replaceSubrange(first..., with: Array(parts.joined(separator: separator.utf8)))
    }
}

extension BoundedText {
    /// A text as it is, up to a limit.
    static func cut(_ text: String, to limit: Int) -> String {
        var bounded = BoundedText(limit: limit)
        bounded.append(text)
        return bounded.isCut ? bounded.text : text
    }
}
