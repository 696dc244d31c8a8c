import BoundedDescriptions

/// Shortens a record so that it fits into a line.
extension ErrorRecord {
    /// The length of the shortest line into which any record can be shortened.
    static let smallestLine = 1_024

    /// Returns the record, shortened so that its line is at most `size` bytes long.
    ///
    /// The size must be at least ``smallestLine``. The messages of the underlying errors are shortened first, because
    /// they often repeat the record's message. The types and fingerprints of the underlying errors are removed only
    /// after metadata, because a replay compares them.
    func fitting(_ size: Int) -> ErrorRecord {
        var record = self
        var excess: Int { RecordLine.length(of: record) - size }
        func name(_ field: String) { record.shortened = (record.shortened ?? []) + [field] }

        if !record.trail.isEmpty {
            name("trail")
            let messages = Self.shorten(record.trail.map(\.message), by: excess)
            for (index, message) in messages.enumerated() { record.trail[index].message = message }
        }
        if record.value != nil, excess > 0 {
            name("value")
            record.value = nil
        }
        if excess > 0 {
            name("message")
            record.message = Self.shorten([record.message], by: excess)[0]
        }
        if !record.metadata.isEmpty, excess > 0 {
            name("metadata")
            let keys = record.metadata.keys.sorted()
            let values = Self.shorten(keys.map { record.metadata[$0] ?? "" }, by: excess)
            for (key, value) in zip(keys, values) { record.metadata[key] = value }
            let lengths = zip(keys, values).map { RecordLine.length(of: $0) + RecordLine.length(of: $1) }
            for key in keys.suffix(Self.count(of: lengths, toSave: excess)) { record.metadata[key] = nil }
        }
        record.trail.removeLast(Self.count(of: record.trail.map(\.length), toSave: excess))
        if !record.scope.isEmpty, excess > 0 {
            name("scope")
            record.scope = Self.shorten(record.scope, by: excess)
            record.scope.removeLast(
                Self.count(of: record.scope.map { RecordLine.length(of: $0) }, toSave: excess))
        }
        record.shortenNames(by: excess)
        return record
    }

    /// Shortens the other strings, which are long only if a redaction or a name is unusual.
    private mutating func shortenNames(by excess: Int) {
        let names: [WritableKeyPath<ErrorRecord, String>] = [
            \.time, \.host, \.service, \.start, \.role, \.type, \.source, \.disposition, \.fingerprint,
        ]
        let optional: [WritableKeyPath<ErrorRecord, String?>] = [
            \.release, \.caseName, \.kind, \.domain, \.origin, \.firstTime, \.rule, \.ruleSource,
        ]
        let texts = names.map { self[keyPath: $0] } + optional.map { self[keyPath: $0] ?? "" }
        let shorter = Self.shorten(texts, by: excess)
        for (name, text) in zip(names, shorter) { self[keyPath: name] = text }
        for (name, text) in zip(optional, shorter.dropFirst(names.count)) where self[keyPath: name] != nil {
            self[keyPath: name] = text
        }
    }

    /// Returns how many of the last elements together have at least the given length; all elements if their total is
    /// less.
    private static func count(of lengths: [Int], toSave excess: Int) -> Int {
        var (count, rest) = (0, excess)
        while rest > 0, count < lengths.count {
            count += 1
            rest -= lengths[lengths.count - count]
        }
        return count
    }

    /// Returns strings that take fewer bytes in a line, by truncating the longest strings to the same length.
    private static func shorten(_ texts: [String], by excess: Int) -> [String] {
        guard excess > 0 else { return texts }
        let lengths = texts.map { RecordLine.length(of: $0) }
        // Compute the length to which all strings are truncated. Bytes that short strings don't need go to longer
        // strings.
        var rest = lengths.reduce(0, +) - excess
        var limit = 0
        for (index, length) in lengths.sorted().enumerated() {
            limit = max(rest, 0) / (texts.count - index)
            if length > limit { break }
            rest -= length
        }
        return zip(texts, lengths).map { text, length in
            length > max(limit, BoundedText.mark.utf8.count) ? RecordLine.prefix(of: text, length: limit) : text
        }
    }
}

extension ErrorRecord.TrailStep {
    /// The number of bytes that the step's strings take in a line.
    fileprivate var length: Int { [type, message, fingerprint].reduce(0) { $0 + RecordLine.length(of: $1) } }
}
