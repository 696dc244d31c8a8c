import Foundation

/// Reads a line that is exactly as a recorder writes it, without the cost of a decoder.
///
/// It reads only lines that it understands from the first byte to the last: the fields of version 1 in their order,
/// without blanks between them, numbers of at most 18 digits, texts of valid UTF-8 whose escapes are whole. Of these it
/// makes what Foundation's decoder would; any other line is left to that.
struct RecordScan {
    /// The bytes that decide what becomes of the error, one field after the other; lines with the same bytes have the
    /// same verdict.
    private(set) var key: [UInt8] = []

    private(set) var occurrences = 1
    private var sequence = 0
    private var code: Int?
    private var matchedRuleCount = 0
    // Where texts are, without their quotation marks.
    private var time = 0..<0
    private var host = 0..<0
    private var service = 0..<0
    private var disposition = 0..<0
    private var type = 0..<0
    private var message = 0..<0
    private var caseName: Range<Int>?
    private var domain: Range<Int>?
    private var rule: Range<Int>?
    private var ruleSource: Range<Int>?
    private var value: Range<Int>?
    private var scope: [Range<Int>] = []
    private var trail: [Range<Int>] = []

    /// Where the next byte is.
    private var position = 0
    private var isASCII = true

    /// Reads a line.
    ///
    /// - Parameter line: The line, without its end.
    /// - Returns: Whether it is understood. If it is not, the other properties mean nothing.
    mutating func read(_ line: Span<UInt8>) -> Bool {
        (position, isASCII) = (0, true)
        key.removeAll(keepingCapacity: true)
        guard readOrigin(line), readError(line), readEnding(line), position == line.count else { return false }
        if isASCII { return true }
        return unsafe line.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) } != nil
    }

    private mutating func readOrigin(_ line: Span<UInt8>) -> Bool {
        guard pass("{\"version\":1,\"time\":", line), let time = text(line),
            pass(",\"host\":", line), let host = text(line),
            pass(",\"service\":", line), let service = text(line),
            pass(",\"process\":", line), number(line) != nil,
            pass(",\"start\":", line), text(line) != nil,
            pass(",\"sequence\":", line), let sequence = number(line)
        else { return false }
        (self.time, self.host, self.service, self.sequence) = (time, host, service, sequence)
        return true
    }

    private mutating func readError(_ line: Span<UInt8>) -> Bool {
        var begin = position
        guard pass(",\"disposition\":", line), let disposition = text(line) else { return false }
        decide(begin..<position, line)
        guard pass(",\"role\":", line), text(line) != nil else { return false }
        begin = position
        guard pass(",\"type\":", line), let type = text(line),
            let caseName = optional(",\"caseName\":", line, { $0.text($1) }),
            let domain = optional(",\"domain\":", line, { $0.text($1) }),
            let code = optional(",\"code\":", line, { $0.number($1) })
        else { return false }
        decide(begin..<position, line)
        guard pass(",\"message\":", line), let message = text(line), pass(",\"source\":", line), text(line) != nil
        else { return false }
        begin = position
        scope.removeAll(keepingCapacity: true)
        guard pass(",\"scope\":[", line),
            list("]", line, { $0.scopeName($1) })
        else { return false }
        decide(begin..<position, line)
        (self.disposition, self.type, self.message) = (disposition, type, message)
        (self.caseName, self.domain, self.code) = (caseName, domain, code)
        return true
    }

    private mutating func scopeName(_ line: Span<UInt8>) -> Bool {
        guard let name = text(line) else { return false }
        scope.append(name)
        return true
    }

    private mutating func metadatum(_ line: Span<UInt8>) -> Bool {
        text(line) != nil && pass(":", line) && text(line) != nil
    }

    private mutating func readEnding(_ line: Span<UInt8>) -> Bool {
        guard pass(",\"metadata\":{", line),
            list("}", line, { $0.metadatum($1) }),
            pass(",\"occurrences\":", line), let occurrences = number(line)
        else { return false }
        let begin = position
        guard let rule = optional(",\"rule\":", line, { $0.text($1) }),
            let ruleSource = optional(",\"ruleSource\":", line, { $0.text($1) }),
            pass(",\"matchedRuleCount\":", line), let matchedRuleCount = number(line)
        else { return false }
        decide(begin..<position, line)
        trail.removeAll(keepingCapacity: true)
        guard pass(",\"fingerprint\":", line), text(line) != nil, pass(",\"trail\":[", line),
            list("]", line, { $0.step($1) })
        else { return false }
        let valueBegin = position
        guard let value = optional(",\"value\":", line, { $0.text($1) }) else { return false }
        decide(valueBegin..<position, line)
        (self.occurrences, self.matchedRuleCount) = (Occurrences.bounded(occurrences), matchedRuleCount)
        (self.rule, self.ruleSource, self.value) = (rule, ruleSource, value)
        return pass("}", line)
    }

    private mutating func step(_ line: Span<UInt8>) -> Bool {
        guard pass("{\"type\":", line), text(line) != nil, pass(",\"message\":", line), text(line) != nil else {
            return false
        }
        let begin = position
        guard pass(",\"fingerprint\":", line), let fingerprint = text(line) else { return false }
        decide(begin..<position, line)
        trail.append(fingerprint)
        return pass("}", line)
    }
}

// MARK: - Parts of a line

extension RecordScan {
    private mutating func decide(_ range: Range<Int>, _ line: Span<UInt8>) {
        unsafe line.extracting(range).withUnsafeBufferPointer { unsafe key.append(contentsOf: $0) }
    }

    /// Passes over what has to come next; stays where it is if something else does.
    private mutating func pass(_ expected: StaticString, _ line: Span<UInt8>) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard count <= line.count - position else { return false }
        let next = line.extracting(position..<position + count)
        let isThere = unsafe next.withUnsafeBytes { next in
            // Both have as many bytes.
            unsafe next.baseAddress.map { unsafe memcmp(expected.utf8Start, $0, count) == 0 } ?? false
        }
        if isThere { position += count }
        return isThere
    }

    /// Passes over a field that may be missing.
    ///
    /// - Returns: The field, which is nil if it is missing; nil if it is there, and is not what it should be.
    private mutating func optional<Part>(
        _ key: StaticString, _ line: Span<UInt8>, _ read: (inout RecordScan, Span<UInt8>) -> Part?
    ) -> Part?? {
        guard pass(key, line) else { return .some(nil) }
        return read(&self, line).map { .some($0) }
    }

    /// Passes over elements up to the end of a list.
    private mutating func list(
        _ end: StaticString, _ line: Span<UInt8>, _ element: (inout RecordScan, Span<UInt8>) -> Bool
    ) -> Bool {
        if pass(end, line) { return true }
        repeat {
            guard element(&self, line) else { return false }
        } while pass(",", line)
        return pass(end, line)
    }

    /// Passes over a text, and returns where its content is.
    private mutating func text(_ line: Span<UInt8>) -> Range<Int>? {
        guard position < line.count, line[position] == UInt8(ascii: "\"") else { return nil }
        let begin = position + 1
        var (index, bits) = (begin, UInt8(0))
        while index < line.count {
            // Eight bytes at a time, as long as all of them are plain.
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

    /// Passes over a whole number as it is usually written.
    private mutating func number(_ line: Span<UInt8>) -> Int? {
        let isNegative = pass("-", line)
        let begin = position
        var number = 0
        while position < line.count, position - begin < 18, let digit = Self.digit(line[position]) {
            number = number * 10 + digit
            position += 1
        }
        let count = position - begin
        // What begins with a zero, and "-0", may be read otherwise.
        guard count > 0, number != 0 || count == 1 && !isNegative, count == 1 || line[begin] != UInt8(ascii: "0")
        else { return nil }
        return isNegative ? -number : number
    }

    private static func digit(_ byte: UInt8) -> Int? {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
    }

    /// Returns the length of an escape; nil if it is not whole, or half of a character.
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

    /// Returns the character of `\u0085`.
    private static func scalar(at index: Int, _ line: Span<UInt8>) -> Unicode.Scalar? {
        guard index + 5 < line.count else { return nil }
        var number: UInt32 = 0
        for place in index + 2...index + 5 {
            let byte = line[place]
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
    /// Returns the record of the line that was read.
    ///
    /// - Parameter isWhole: Whether also what decides nothing is wanted: where, when and with what message.
    func record(_ line: Span<UInt8>, isWhole: Bool = true) -> ReplayedRecord {
        func text(_ range: Range<Int>) -> String { Self.string(range, line) }
        return ReplayedRecord(
            version: 1, disposition: text(disposition), type: text(type), caseName: caseName.map(text),
            domain: domain.map(text), code: code, scope: scope.map(text), rule: rule.map(text),
            ruleSource: ruleSource.map(text), matchedRuleCount: matchedRuleCount,
            trail: trail.map { ReplayedRecord.TrailStep(fingerprint: text($0)) }, value: value.map(text),
            occurrences: occurrences, time: isWhole ? text(time) : nil, host: isWhole ? text(host) : nil,
            service: isWhole ? text(service) : nil, sequence: sequence, message: isWhole ? text(message) : nil)
    }

    private static func string(_ range: Range<Int>, _ line: Span<UInt8>) -> String {
        let text = line.extracting(range)
        if !text.hasEscapes {
            return unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
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
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Span<UInt8> {
    fileprivate var hasEscapes: Bool {
        for index in indices where self[index] == UInt8(ascii: "\\") { return true }
        return false
    }
}

/// Eight bytes of a line, looked at together.
private struct EightBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    private let bytes: UInt64

    @inline(__always)
    init(_ line: Span<UInt8>, at index: Int) {
        // Any eight bytes are a number; that they are in the line was checked, and is checked again. The first is its
        // lowest byte on all machines.
        bytes = UInt64(littleEndian: unsafe line.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// How many of them, from the first on, are ASCII that means nothing in a text: no quotation mark, no backslash, no
    /// control character.
    @inline(__always)
    var plainCount: Int {
        let isControl = bytes &- 0x20 &* Self.ones
        let others = bytes | isControl | Self.zeros(bytes, UInt8(ascii: "\"")) | Self.zeros(bytes, UInt8(ascii: "\\"))
        return (others & Self.highBits).trailingZeroBitCount / 8
    }

    /// Has the high bit of at least the first byte that equals one; of none if there is none, and all are ASCII.
    private static func zeros(_ bytes: UInt64, _ byte: UInt8) -> UInt64 {
        (bytes ^ UInt64(byte) &* ones) &- ones
    }
}
