/// A string with a limited number of bytes of UTF-8.
///
/// The string ends in `…` if something was left out. Characters that don't fit aren't read: appending 100 MB costs as
/// much as appending the bytes that fit.
package struct BoundedText {
    /// The mark that replaces omitted characters.
    package static let mark = "…"

    /// The maximum length in bytes, including the mark.
    let limit: Int
    /// Whether something was left out; once true, further strings are ignored.
    package private(set) var isTruncated = false
    private var bytes: [UInt8] = []
    /// The last position between two units that leaves enough room for the mark.
    private var position = 0

    /// Creates an empty string.
    package init(limit: Int) {
        assert(limit >= Self.mark.utf8.count, "there has to be room for the mark")
        self.limit = limit
    }

    /// The length so far in bytes.
    var count: Int { bytes.count }

    /// The string so far.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds a string, or as much of its beginning as fits.
    package mutating func append(_ text: some StringProtocol) {
        guard !isTruncated else { return }
        // Use an index instead of `count`: a string bridged from Foundation might count its bytes one by one.
        if let end = text.utf8.index(text.startIndex, offsetBy: limit - bytes.count, limitedBy: text.endIndex),
            end != text.endIndex
        {
            bytes.append(contentsOf: text.utf8[..<end])
            truncate(at: limit)
        } else {
            bytes.append(contentsOf: text.utf8)
        }
    }

    /// Adds bytes of UTF-8 that truncation must not split: a scalar or an escape.
    mutating func append(unit: some Collection<UInt8>) {
        guard !isTruncated else { return }
        guard bytes.count + unit.count <= limit else { return truncate(at: position) }
        bytes.append(contentsOf: unit)
        if bytes.count + Self.mark.utf8.count <= limit { position = bytes.count }
    }

    /// Removes everything after a position and appends the mark.
    mutating func truncate(at position: Int) {
        var end = min(position, limit - Self.mark.utf8.count, bytes.count)
        // Don't end within a scalar.
        while end > 0, end < bytes.count, UTF8.isContinuation(bytes[end]) { end -= 1 }
        bytes.removeSubrange(end...)
        bytes.append(contentsOf: Self.mark.utf8)
        isTruncated = true
    }

    /// Sorts the parts at the end of the string, given their start positions and the separator between them.
    mutating func sort(partsAt starts: [Int], separator: String) {
        guard let first = starts.first else { return }
        let ends = starts.dropFirst().map { $0 - separator.utf8.count } + [bytes.count]
        let parts = zip(starts, ends).map { bytes[$0..<$1] }.sorted { $0.lexicographicallyPrecedes($1) }
        bytes.replaceSubrange(first..., with: Array(parts.joined(separator: separator.utf8)))
    }
}
