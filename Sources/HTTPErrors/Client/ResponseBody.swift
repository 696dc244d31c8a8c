import Foundation

/// A response type that has a value for an empty body.
private protocol EmptyReadable {
    static var empty: Self { get }
}

extension String: EmptyReadable {
    fileprivate static var empty: String { "" }
}

extension Data: EmptyReadable {
    fileprivate static var empty: Data { Data() }
}

extension Optional: EmptyReadable {
    fileprivate static var empty: Self { nil }
}

/// A response type whose value is the body itself, regardless of the content type; also an optional of such a type.
enum RawBody {
    case string
    case data

    init?(_ type: Any.Type) {
        switch type {
        case is String.Type, is String?.Type: self = .string
        case is Data.Type, is Data?.Type: self = .data
        default: return nil
        }
    }

    /// Returns the value of an empty body for a type that has one: nil for an optional, or an empty `String` or `Data`.
    static func empty<Response>(_ type: Response.Type) -> Response? {
        (type as? any EmptyReadable.Type)?.empty as? Response
    }

    /// Returns the value of a body.
    ///
    /// For a `String`, it throws a `DecodingError` if the body isn't valid text in its charset.
    func value(of body: Data, charset: String?) throws -> any Sendable {
        switch self {
        case .string: try body.text(in: charset)
        case .data: body
        }
    }
}

/// Why a body isn't a string, in a message that doesn't contain anything from the body.
enum BodyFault: String {
    case notInCharset = "The body is not valid text in its charset."
    case unknownCharset = "The charset of the body is not known."

    var error: DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: rawValue))
    }
}

extension Data {
    /// Returns the body as text, without a byte order mark.
    ///
    /// `charset` is in lowercase; nil means UTF-8. The method throws a `DecodingError` if the charset is unknown, or if
    /// the body isn't valid in it.
    func text(in charset: String?) throws -> String {
        let (marked, rest) = markedEncoding
        let named = charset.map { Self.encodings[$0] } ?? .utf8
        // Prefer the byte order mark: it is part of the body, but the charset might only be a server's default.
        guard let encoding = marked ?? named else { throw BodyFault.unknownCharset.error }
        let text: String? =
            switch encoding {
            case .utf8: String(validating: rest, as: UTF8.self)
            // Check the length, because Foundation drops half a code unit.
            case .utf16LittleEndian, .utf16BigEndian:
                rest.count.isMultiple(of: 2) ? String(data: rest, encoding: encoding) : nil
            default: String(data: rest, encoding: encoding)
            }
        guard let text else { throw BodyFault.notInCharset.error }
        return text
    }

    /// Returns the body in an encoding that `JSONDecoder` reads.
    ///
    /// The decoder recognizes UTF-8, UTF-16, and a byte order mark on its own. Another charset is used only if the body
    /// isn't valid UTF-8, because JSON must be UTF-8 (RFC 8259) and some servers declare their default charset anyway.
    func asJSON(charset: String?) -> Data {
        guard let charset, charset != "utf-8", String(validating: self, as: UTF8.self) == nil else { return self }
        // error-audit: harmless, because the decoder then reports that the body isn't JSON
        return (try? text(in: charset)).map { Data($0.utf8) } ?? self
    }

    /// The encoding that a byte order mark indicates, and the bytes after the mark.
    private var markedEncoding: (String.Encoding?, Data) {
        let marks: [([UInt8], String.Encoding)] = [
            ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE], .utf16LittleEndian), ([0xFE, 0xFF], .utf16BigEndian),
        ]
        guard let (mark, encoding) = marks.first(where: { starts(with: $0.0) }) else { return (nil, self) }
        return (encoding, dropFirst(mark.count))
    }

    /// The encodings by charset.
    ///
    /// `utf-16` is left out, because its byte order isn't certain if there is no byte order mark.
    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .utf8, "ascii": .utf8,
        "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-2": .isoLatin2,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "shift_jis": .shiftJIS, "iso-2022-jp": .iso2022JP,
    ]
}
