import Foundation

/// Scans a line in exactly the form that a recorder writes, without the cost of a decoder.
///
/// It accepts a line only if it recognizes every byte: the fields of version 1 in order, without blanks between them,
/// numbers of at most 18 digits, and strings of valid UTF-8 with complete escapes. For these lines, its result equals
/// the result of Foundation's decoder. All other lines must be read with that decoder.
struct RecordScan {
    /// The bytes that determine the outcome of the error, one field after another.
    ///
    /// Lines with the same bytes have the same verdict.
    private(set) var key: [UInt8] = []

    private(set) var occurrences = 1
    private(set) var sequence = 0
    private var matchedRuleCount = 0
    private var code: Int?
    /// The ranges of the strings, without their quotation marks.
    ///
    /// The range of a missing string begins at 0, where a string can't begin.
    private var ranges = [Range<Int>](repeating: 0..<0, count: Text.allCases.count)
    private(set) var scope: [Range<Int>] = []
    private var shortened: [Range<Int>] = []
    private var isShortened = false
    private var isCancellation = false
    private(set) var trail: [(type: Range<Int>, message: Range<Int>, fingerprint: Range<Int>)] = []
    /// The position where the metadata begins.
    private var metadataStart = 0

    /// The strings of a line that can be looked up by name.
    enum Text: Int, CaseIterable {
        case time, host, service, release, disposition, role, type, caseName, kind, domain, message, source, origin
        case firstTime, rule, ruleSource, fingerprint, value
    }

    /// The position of the next byte.
    private var position = 0
    private var isASCII = true

    /// Scans a line, which is passed without its line feed, and returns whether the line is recognized.
    ///
    /// If it isn't recognized, ignore the other properties.
    mutating func read(_ line: Span<UInt8>) -> Bool {
        (position, isASCII) = (0, true)
        key.removeAll(keepingCapacity: true)
        guard readOrigin(line), readError(line), readEnding(line), position == line.count else { return false }
        if isASCII { return true }
        return unsafe line.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) } != nil
    }

    private mutating func readOrigin(_ line: Span<UInt8>) -> Bool {
        guard skip("{\"version\":1", line), text(",\"time\":", line, .time), text(",\"host\":", line, .host),
            text(",\"service\":", line, .service), optionalText(",\"release\":", line, .release),
            skip(",\"process\":", line), number(line) != nil,
            text(",\"start\":", line), skip(",\"sequence\":", line), let sequence = number(line)
        else { return false }
        self.sequence = sequence
        return true
    }

    private mutating func readError(_ line: Span<UInt8>) -> Bool {
        var begin = position
        guard text(",\"disposition\":", line, .disposition), text(",\"role\":", line, .role),
            text(",\"type\":", line, .type), optionalText(",\"caseName\":", line, .caseName),
            optionalText(",\"kind\":", line, .kind), optionalText(",\"domain\":", line, .domain)
        else { return false }
        code = nil
        if skip(",\"code\":", line) {
            code = number(line)
            if code == nil { return false }
        }
        isCancellation = skip(",\"cancellation\":true", line)
        appendToKey(begin..<position, line)
        guard text(",\"message\":", line, .message), text(",\"source\":", line, .source),
            optionalText(",\"origin\":", line, .origin)
        else { return false }
        begin = position
        scope.removeAll(keepingCapacity: true)
        guard skip(",\"scope\":[", line),
            list("]", line, { scan, line in scan.text(line).map { scan.scope.append($0) } != nil })
        else { return false }
        appendToKey(begin..<position, line)
        return true
    }

    private mutating func readEnding(_ line: Span<UInt8>) -> Bool {
        guard skip(",\"metadata\":{", line) else { return false }
        metadataStart = position
        guard list("}", line, { $0.text($1) != nil && $0.text(":", $1) }),
            skip(",\"occurrences\":", line), let occurrences = number(line),
            optionalText(",\"firstTime\":", line, .firstTime)
        else { return false }
        var begin = position
        guard optionalText(",\"rule\":", line, .rule), optionalText(",\"ruleSource\":", line, .ruleSource),
            skip(",\"matchedRuleCount\":", line), let matchedRuleCount = number(line)
        else { return false }
        appendToKey(begin..<position, line)
        (self.occurrences, self.matchedRuleCount) = (Occurrences.bounded(occurrences), matchedRuleCount)
        trail.removeAll(keepingCapacity: true)
        guard text(",\"fingerprint\":", line, .fingerprint), skip(",\"trail\":[", line),
            list("]", line, { $0.step($1) })
        else { return false }
        begin = position
        guard optionalText(",\"value\":", line, .value) else { return false }
        let value = begin..<position
        isShortened = skip(",\"shortened\":[", line)
        if isShortened {
            shortened.removeAll(keepingCapacity: true)
            guard list("]", line, { scan, line in scan.text(line).map { scan.shortened.append($0) } != nil }) else {
                return false
            }
            // Add the list of shortened fields before the value, so that the key without the value is a prefix of the
            // whole key.
            appendToKey(value.upperBound..<position, line)
        }
        appendToKey(value, line)
        return skip("}", line)
    }

    private mutating func step(_ line: Span<UInt8>) -> Bool {
        guard skip("{\"type\":", line), let type = text(line), skip(",\"message\":", line), let message = text(line),
            skip(",\"fingerprint\":", line), let fingerprint = text(line)
        else { return false }
        appendToKey(type, line)
        appendToKey(fingerprint, line)
        trail.append((type, message, fingerprint))
        return skip("}", line)
    }
}

// MARK: - Parts of a line

extension RecordScan {
    /// Appends a field to the key, because the field helps determine the outcome.
    private mutating func appendToKey(_ range: Range<Int>, _ line: Span<UInt8>) {
        unsafe line.extracting(range).withUnsafeBufferPointer { unsafe key.append(contentsOf: $0) }
    }

    /// Skips the expected bytes; returns false and keeps the position if other bytes follow.
    private mutating func skip(_ expected: StaticString, _ line: Span<UInt8>) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard count <= line.count - position else { return false }
        let next = line.extracting(position..<position + count)
        let isThere = unsafe next.withUnsafeBytes { next in
            // Compare the bytes; both sides have the same length.
            unsafe next.baseAddress.map { unsafe memcmp(expected.utf8Start, $0, count) == 0 } ?? false
        }
        if isThere { position += count }
        return isThere
    }

    /// Skips a key and its string, and stores the string's range if a name is given.
    private mutating func text(_ key: StaticString, _ line: Span<UInt8>, _ name: Text? = nil) -> Bool {
        guard skip(key, line), let range = text(line) else { return false }
        if let name { ranges[name.rawValue] = range }
        return true
    }

    /// Skips a key and string that might be missing; returns false if the key isn't followed by a string.
    private mutating func optionalText(_ key: StaticString, _ line: Span<UInt8>, _ name: Text) -> Bool {
        ranges[name.rawValue] = 0..<0
        let begin = position
        return text(key, line, name) || position == begin
    }

    /// Skips the elements of a list and the list's end.
    private mutating func list(
        _ end: StaticString, _ line: Span<UInt8>, _ element: (inout RecordScan, Span<UInt8>) -> Bool
    ) -> Bool {
        if skip(end, line) { return true }
        repeat {
            guard element(&self, line) else { return false }
        } while skip(",", line)
        return skip(end, line)
    }

    /// Skips a string, and returns the range of its content.
    private mutating func text(_ line: Span<UInt8>) -> Range<Int>? {
        guard position < line.count, line[position] == UInt8(ascii: "\"") else { return nil }
        let begin = position + 1
        var (index, bits) = (begin, UInt8(0))
        while index < line.count {
            // Skip eight bytes at a time as long as all of them are plain.
            if index + 8 <= line.count {
                let count = EightBytes(line, at: index).plainCount
                index += count
                if count == 8 { continue }
            }
            let byte = line[index]
            if byte == UInt8(ascii: "\"") {
                position = index + 1
                if bits >= 0x80 { isASCII = false }
                return begin..<index
            }
            if byte == UInt8(ascii: "\\") {
                guard let length = Self.lengthOfEscape(at: index, line) else { return nil }
                index += length
            } else {
                if byte < 0x20 { return nil }
                bits |= byte
                index += 1
            }
        }
        return nil
    }

    /// Reads an integer in canonical decimal form.
    private mutating func number(_ line: Span<UInt8>) -> Int? {
        let isNegative = skip("-", line)
        let begin = position
        var number = 0
        while position < line.count, position - begin < 18, let digit = Self.digit(line[position]) {
            number = number * 10 + digit
            position += 1
        }
        let count = position - begin
        // Reject a leading zero and "-0", because a decoder might read them differently.
        guard count > 0, number != 0 || count == 1 && !isNegative, count == 1 || line[begin] != UInt8(ascii: "0")
        else { return nil }
        return isNegative ? -number : number
    }

    private static func digit(_ byte: UInt8) -> Int? {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
    }

    /// Returns the length of an escape; nil if the escape is incomplete or is one half of a surrogate pair.
    private static func lengthOfEscape(at index: Int, _ line: Span<UInt8>) -> Int? {
        guard index + 1 < line.count else { return nil }
        switch line[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            return scalar(at: index, line) == nil ? nil : 6
        default:
            return nil
        }
    }

    /// Returns the character for an escape such as `\u0085`.
    private static func scalar(at index: Int, _ line: Span<UInt8>) -> Unicode.Scalar? {
        guard index + 5 < line.count else { return nil }
        var number: UInt32 = 0
        for index in index + 2...index + 5 {
            let byte = line[index]
            guard let digit = digit(byte) ?? hexadecimalLetter(byte) else { return nil }
            number = number << 4 | UInt32(digit)
        }
        return Unicode.Scalar(number)
    }

    private static func hexadecimalLetter(_ byte: UInt8) -> Int? {
        let letter = byte | 0x20
        return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "f") ? Int(letter - UInt8(ascii: "a")) + 10 : nil
    }
}

// MARK: - The record

extension RecordScan {
    /// Returns the record of the scanned line.
    ///
    /// If `isWhole` is false, it doesn't contain the fields that don't affect the verdict: host, service, release,
    /// time, and message.
    func record(_ line: Span<UInt8>, isWhole: Bool = true) -> ReplayedRecord {
        func text(_ name: Text, isWanted: Bool = true) -> String? {
            isWanted ? range(of: name).map { Self.string($0, line) } : nil
        }
        return ReplayedRecord(
            version: 1, disposition: text(.disposition) ?? "", role: text(.role), type: text(.type) ?? "",
            caseName: text(.caseName),
            domain: text(.domain), code: code, cancellation: isCancellation ? true : nil,
            scope: scope.map { Self.string($0, line) }, rule: text(.rule),
            ruleSource: text(.ruleSource), matchedRuleCount: matchedRuleCount,
            trail: trail.map { step in
                ReplayedRecord.TrailStep(
                    type: Self.string(step.type, line), fingerprint: Self.string(step.fingerprint, line))
            }, value: text(.value),
            occurrences: occurrences, time: text(.time, isWanted: isWhole), host: text(.host, isWanted: isWhole),
            service: text(.service, isWanted: isWhole), release: text(.release, isWanted: isWhole),
            sequence: sequence, message: text(.message, isWanted: isWhole),
            shortened: isShortened ? shortened.map { Self.string($0, line) } : nil)
    }

    /// Returns the error's value in the scanned line; nil if the line doesn't contain a value.
    func value(_ line: Span<UInt8>) -> Data? { range(of: .value).map { Data(Self.unescaped($0, line)) } }

    /// The deciding bytes without the error's value; nil if there is no value.
    var keyWithoutValue: [UInt8]? {
        guard let value = range(of: .value) else { return nil }
        // Copy the whole key and remove the value, because creating an array from a slice would run generic code.
        var shared = key
        shared.removeLast(value.count + 1)
        return shared
    }

    /// Returns the ranges of the metadata's keys and values in the scanned line.
    func metadata(_ line: Span<UInt8>) -> [(key: Range<Int>, value: Range<Int>)] {
        var (scan, entries) = (self, [(key: Range<Int>, value: Range<Int>)]())
        scan.position = metadataStart
        _ = scan.list("}", line) { scan, line in
            guard let key = scan.text(line), scan.skip(":", line), let value = scan.text(line) else { return false }
            entries.append((key, value))
            return true
        }
        return entries
    }

    /// Returns the range of a string in the scanned line; nil if the string is missing.
    func range(of name: Text) -> Range<Int>? {
        let range = ranges[name.rawValue]
        return range.lowerBound > 0 ? range : nil
    }

    /// Returns the string in a range of the scanned line.
    static func string(_ range: Range<Int>, _ line: Span<UInt8>) -> String {
        let text = line.extracting(range)
        if text.hasEscapes { return String(decoding: unescaped(range, line), as: UTF8.self) }
        return unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private static func unescaped(_ range: Range<Int>, _ line: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = line[index]
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                index += 1
                continue
            }
            let escaped = line[index + 1]
            switch escaped {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"): if let scalar = scalar(at: index, line) { bytes.append(contentsOf: scalar.utf8) }
            default: bytes.append(escaped)
            }
            index += escaped == UInt8(ascii: "u") ? 6 : 2
        }
        return bytes
    }
}

extension Span<UInt8> {
    fileprivate var hasEscapes: Bool {
        for index in indices where self[index] == UInt8(ascii: "\\") { return true }
        return false
    }
}

/// Eight bytes of a line, examined together.
private struct EightBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    private let bytes: UInt64

    @inline(__always)
    init(_ line: Span<UInt8>, at index: Int) {
        // Any eight bytes are a valid number. The caller has checked the range, and the load checks it again. Because
        // of `littleEndian`, the first byte is the lowest byte on all machines.
        bytes = UInt64(littleEndian: unsafe line.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The number of leading bytes that are ASCII characters without a special meaning in a string: no quotation marks,
    /// backslashes, or control characters.
    @inline(__always)
    var plainCount: Int {
        let isControl = bytes &- 0x20 &* Self.ones
        let others = bytes | isControl | Self.zeros(bytes, UInt8(ascii: "\"")) | Self.zeros(bytes, UInt8(ascii: "\\"))
        return (others & Self.highBits).trailingZeroBitCount / 8
    }

    /// Sets the high bit of the first byte that equals `byte`, and perhaps of bytes after it.
    ///
    /// If all bytes are ASCII and none of them equals `byte`, no high bit is set.
    private static func zeros(_ bytes: UInt64, _ byte: UInt8) -> UInt64 {
        // Test for zero bytes within a word (SWAR): `byte` becomes 0, and subtracting 1 from it borrows. The borrow can
        // set high bits of later bytes only, which is harmless because the caller uses only the lowest set bit.
        (bytes ^ UInt64(byte) &* ones) &- ones
    }
}
