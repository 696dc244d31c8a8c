import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H5: a response is read only as what it certainly is", .tags(.http5), .hangLimit)
struct ClientResponseTests {}

extension ClientResponseTests {
    private func response(
        _ status: Int = 200, _ type: String? = "application/json", _ body: Data = Data()
    ) -> TransportResponse {
        TransportResponse(status: status, headers: type.map { ["Content-Type": $0] } ?? [:], body: body)
    }

    private func send<R: Decodable & Sendable>(
        _ type: R.Type, _ response: TransportResponse, method: HTTPMethod = .get
    ) async throws -> R {
        try await APIClient(Script { _, _ in response }).send(Call(type, method: method))
    }

    /// Sends a request that must fail, then returns the error.
    private func failure<R: Decodable & Sendable>(_ type: R.Type, _ response: TransportResponse) async throws
        -> NetworkError
    {
        try #require(await #expect(throws: NetworkError.self) { try await send(type, response) })
    }

    @Test("an optional is nil for null or a missing body; a String or Data is then empty")
    func empty() async throws {
        let ada = Data(#"{"name": "Ada"}"#.utf8)
        let bodiless: [(TransportResponse, HTTPMethod)] = [
            (response(204), .get), (response(205, nil), .get), (response(200), .get), (response(201, nil), .post),
            (response(204, "application/json", ada), .get), (response(200, "application/json", ada), .head),
        ]
        for (response, method) in bodiless {
            expectNil(try await send(User?.self, response, method: method))
            expect(try await send(User??.self, response, method: method), equals: .some(nil) ?? nil)
            expectNil(try await send(String?.self, response, method: method))
            expectNil(try await send(Data?.self, response, method: method))
            expect(try await send(String.self, response, method: method), equals: "")
            expect(try await send(Data.self, response, method: method), equals: Data())
        }
        expectNil(try await send(User?.self, response(200, "application/json", Data("null".utf8))))
        expect(try await send(User?.self, response(200, "application/json", ada)), equals: User(name: "Ada"))
        // Only a missing value becomes nil.
        for body in [#"{"name": null}"#, "{}", "nul", " "] {
            let error = try await failure(User?.self, response(200, "application/json", Data(body.utf8)))
            expect(error.kind, equals: .decoding, "\(body)")
        }
        expect(try await failure(User?.self, response(200, "text/html", ada)).kind, equals: .unexpectedContentType)
        expect(try await failure(User?.self, response(500)).kind, equals: .server)
        // The service's own error can be derived from a response without a value.
        struct Missing: APIRequest {
            typealias Response = User?
            let path = ""
            func rejection(of response: User?) -> (any Error)? { response == nil ? GitHubError(code: 7) : nil }
        }
        let rejection = await #expect(throws: NetworkError.self) {
            try await APIClient(Script { _, _ in response(204) }).send(Missing())
        }
        expect(rejection?.service(as: GitHubError.self)?.code, equals: 7)
    }

    @Test("String and Data contain the body unchanged, whatever the content type, and accept any content type")
    func raw() async throws {
        for type in ["text/plain", "text/csv", "image/png", "application/json", "application/octet-stream", "", nil] {
            for text in ["hello", #""QUJD""#, "null", "é日", " \n"] {
                let response = response(200, type, Data(text.utf8))
                expect(try await send(String.self, response), equals: text, "\(type ?? "no type")")
                expect(try await send(String?.self, response), equals: text, "\(type ?? "no type")")
                expect(try await send(Data.self, response), equals: Data(text.utf8), "\(type ?? "no type")")
                expect(try await send(Data?.self, response), equals: Data(text.utf8), "\(type ?? "no type")")
            }
        }
        let bytes = Data([0x89, 0x50, 0xFF, 0x00])
        expect(try await send(Data.self, response(200, "image/png", bytes)), equals: bytes)
        let script = Script { _, _ in response(200, "text/plain") }
        let client = try APIClient(script)
        _ = try await client.send(Call(String.self))
        _ = try await client.send(Call(Data?.self))
        _ = try await client.send(Call(String.self, headers: ["Accept": "text/csv"]))
        _ = try await client.send(Call(User?.self))
        expect(
            script.requests.map { $0.headers["Accept"] }, equals: ["*/*", "*/*", "text/csv", "application/json"])
        // A truncated value isn't the value.
        let long = TransportResponse(status: 200, body: Data("hel".utf8), isTruncated: true)
        let cut = TransportResponse(status: 200, isTruncated: true)
        for response in [long, cut] {
            expect(try await failure(String.self, response).kind, equals: .bodyTooLarge)
            expect(try await failure(Data?.self, response).kind, equals: .bodyTooLarge)
            expect(try await failure(User?.self, response).kind, equals: .bodyTooLarge)
        }
    }

    @Test("a string is decoded by its charset, and a body that is invalid in it causes an error that explains this")
    func charsets() async throws {
        let mark = Data([0xEF, 0xBB, 0xBF])
        let latin = Data([0x62, 0xE9])
        for (charset, body) in [
            ("utf-8", Data("bé".utf8)), ("\"UTF-8\"", Data("bé".utf8)), ("utf8", mark + Data("bé".utf8)),
            ("", Data("bé".utf8)), ("\"\"", Data("bé".utf8)),
            ("us-ascii", Data("bé".utf8)), ("iso-8859-1", latin), ("ISO-8859-1", latin), ("windows-1252", latin),
            ("utf-16le", Data([0x62, 0, 0xE9, 0])), ("utf-16be", Data([0, 0x62, 0, 0xE9])),
            ("utf-16", Data([0xFF, 0xFE, 0x62, 0, 0xE9, 0])), ("utf-16", Data([0xFE, 0xFF, 0, 0x62, 0, 0xE9])),
            // The body's byte order mark is more certain than the server's default.
            ("iso-8859-1", mark + Data("bé".utf8)),
        ] {
            for type in ["text/plain; charset=\(charset)", "text/plain;a=b; Charset=\(charset) ;c=d"] {
                expect(try await send(String.self, response(200, type, body)), equals: "bé", "\(type)")
            }
        }
        expect(try await send(String.self, response(200, "text/plain", mark + Data("a".utf8))), equals: "a")
        let japanese: [(String, [UInt8])] = [
            ("Shift_JIS", [0x93, 0xFA]), ("ISO-2022-JP", Array("\u{1B}$BF|\u{1B}(B".utf8)),
        ]
        for (charset, bytes) in japanese {
            let response = response(200, "text/plain; charset=\(charset)", Data(bytes))
            expect(try await send(String.self, response), equals: "日", "\(charset)")
        }
        let invalid = "The body is not valid text in its charset."
        for (type, body, cause) in [
            ("text/plain", latin, invalid), ("text/plain; charset=utf-8", latin, invalid),
            ("text/plain; charset=us-ascii", latin, invalid),
            ("text/plain; charset=x-secret", latin, "The charset of the body is not known."),
            ("text/plain; charset=utf-16", Data([0x62, 0]), "The charset of the body is not known."),
            ("text/plain; charset=utf-16le", Data([0x62]), invalid),
        ] {
            let error = try await failure(String.self, response(200, type, body))
            expect(error.kind, equals: .decoding, "\(type)")
            guard case .dataCorrupted(let context)? = error.cause as? DecodingError else {
                Issue.record("\(type): \(error)")
                continue
            }
            expect(context.debugDescription, equals: cause, "\(type)")
        }
    }

    @Test("JSON is read in any form that certainly means JSON; anything else causes an error with its reason")
    func json() async throws {
        let text = #"{"name": "ä"}"#
        let body = Data(text.utf8)
        for type in [
            "application/json", "APPLICATION/JSON; Charset=\"UTF-8\"", "text/json", "text/json; charset=utf-8",
            "application/x-json", "application/hal+json", "application/vnd.api+json", "", " ", ";", nil,
        ] {
            expect(try await send(User.self, response(200, type, body)), equals: User(name: "ä"), "\(type ?? "none")")
        }
        for type in [
            "application/x-javascript", "text/javascript", "text/plain", "application/octet-stream", "json",
            "application/json-seq", "application/jsonl", "text/html",
        ] {
            let error = try await failure(User.self, response(200, type, body))
            expect(error.kind, equals: .unexpectedContentType)
            expect(error.detail, equals: type)
        }
        let encodings: [(String.Encoding, String)] = [
            (.utf16LittleEndian, "utf-16le"), (.utf16BigEndian, "utf-16be"), (.utf16LittleEndian, "utf-16"),
            (.isoLatin1, "iso-8859-1"), (.windowsCP1252, "windows-1252"), (.utf8, "iso-8859-1"), (.utf8, "x-unknown"),
        ]
        for (encoding, charset) in encodings {
            let response = response(
                200, "application/json; charset=\(charset)", try #require(text.data(using: encoding)))
            expect(try await send(User.self, response), equals: User(name: "ä"), "\(charset)")
        }
        for (before, after) in [("\u{FEFF}", ""), ("", "\n\n"), (" \r\n\t", " \r\n")] {
            let body = Data((before + text + after).utf8)
            expect(try await send(User.self, response(200, "application/json", body)), equals: User(name: "ä"))
        }
        let latin = try #require(text.data(using: .isoLatin1))
        for body in [latin, Data(")]}',\n".utf8) + body, Data([0]), Data("\(text)\(text)".utf8)] {
            let error = try await failure(User.self, response(200, "application/json", body))
            expect(error.kind, equals: .decoding)
            guard case .dataCorrupted(let context)? = error.cause as? DecodingError else {
                Issue.record("\(error)")
                continue
            }
            expect(context.debugDescription, equals: "The body is not valid JSON.")
        }
        // A request for one of the JSON types may be answered with plain JSON, but not with another JSON type.
        let script = Script { _, number in
            response(200, number == 0 ? "application/json; charset=utf-8" : "application/problem+json", body)
        }
        let client = try APIClient(script)
        let call = Call(User.self, headers: ["Accept": "application/vnd.github+json"])
        expect(try await client.send(call), equals: User(name: "ä"))
        let error = await #expect(throws: NetworkError.self) { try await client.send(call) }
        expect(error?.kind, equals: .unexpectedContentType)
    }
}
