import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("Headers, problems, and messages are plain values", .hangLimit)
struct MessageTests {}

extension MessageTests {
    @Test("header names ignore case, and keep their first spelling and position")
    func headers() {
        var headers: HTTPHeaders = ["Content-Type": "a", "content-type": "b", "X": "c"]
        expect(headers["CONTENT-TYPE"], equals: "a, b")
        headers["content-type"] = "d"
        expect(headers.fields.map(\.name), equals: ["Content-Type", "X"])
        expect(headers["Content-Type"], equals: "d")
        expect(headers, equals: ["x": "c", "CONTENT-type": "d"])
        #expect(headers != ["x": "c"])
        #expect(headers != ["x": "c", "y": "d"])
        headers["none"] = nil
        headers.append("e", for: "New")
        expect(headers["new"], equals: "e")
        // Removing a field keeps the order of the other fields. A field that is added again comes last.
        headers["x"] = nil
        expect(["X", "new", "content-TYPE"].map { headers[$0] }, equals: [nil, "e", "d"])
        headers["X"] = "5"
        headers["new"] = "6"
        headers.append("7", for: "CONTENT-TYPE")
        expect(headers.fields.map { "\($0.name): \($0.value)" }, equals: ["Content-Type: d, 7", "New: 6", "X: 5"])
    }

    @Test("cookies are joined with semicolons, and cookies that a server sets stay separate")
    func cookies() {
        var headers: HTTPHeaders = ["Cookie": "a=1", "cookie": "b=2"]
        expect(headers["COOKIE"], equals: "a=1; b=2")
        let set = ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2"]
        for value in set { headers.append(value, for: "Set-Cookie") }
        expect(headers.fields.map(\.name), equals: ["Cookie", "Set-Cookie", "Set-Cookie"])
        expect(headers.fields.map(\.value), equals: ["a=1; b=2"] + set)
        expect(
            HTTPHeaders(headers.fields.map { ($0.name, $0.value) }),
            equals: HTTPHeaders([("Cookie", "a=1; b=2")] + set.map { ("set-cookie", $0) }))
        headers["Set-Cookie"] = "c=3"
        expect(headers.fields.count, equals: 2)
    }

    @Test("the first valid value of a repeated field is used, even if the layer below has joined the values")
    func twice() async throws {
        let (json, problem) = ("application/json", "application/problem+json")
        for values in [
            [json, json], ["\(json), \(json)"], ["", json], ["json", "\(json); charset=utf-8, text/html"],
        ] {
            let headers = HTTPHeaders(values.map { ("Content-Type", $0) })
            let script = Script { _, _ in
                TransportResponse(status: 200, headers: headers, body: Data(#"{"name": "Ada"}"#.utf8))
            }
            expect(try await APIClient(script).send(Call(User.self)), equals: User(name: "Ada"), "\(values)")
        }
        for values in [[problem, problem], ["\(problem),\(problem)"], ["", "\(problem), \(json)"]] {
            let headers = HTTPHeaders(values.map { ("Content-Type", $0) })
            let failure = HTTPFailure(status: 400, headers: headers, body: Data(#"{"title": "x"}"#.utf8))
            expect(failure.problem?.title, equals: "x", "\(values)")
        }
        let (now, then) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:40 GMT")
        let hints: [([String], [String], Duration?)] = [
            (["7", "7"], [], .seconds(7)), (["7, 7"], [], .seconds(7)), (["7", "8"], [], .seconds(7)),
            (["2.5", "8"], [], .milliseconds(2_500)), (["1e1, 2.5"], [], .milliseconds(2_500)),
            (["soon", "7"], [], .seconds(7)), (["soon, -1, 7"], [], .seconds(7)), (["soon", "-1"], [], nil),
            ([then, then], [now, now], .seconds(3)), (["\(then), \(then)"], ["\(now), \(now)"], .seconds(3)),
            ([then], ["today", now], .seconds(3)), (["\(then),7"], [now], .seconds(3)),
            (["7,\(then)"], [now], .seconds(7)),
        ]
        for (values, dates, hint) in hints {
            let fields = values.map { ("Retry-After", $0) } + dates.map { ("Date", $0) }
            expect(HTTPFailure(status: 503, headers: HTTPHeaders(fields)).retryAfter, equals: hint, "\(values)")
        }
    }

    @Test("a problem drops an invalid status, and a response uses a status only if it is a failure's")
    func statuses() throws {
        for status in [Int.min, -1, 0, 99, 600, 1_000, 100_000, .max] {
            let text = #"{"title": "t", "status": \#(status)}"#
            let read = try JSONDecoder().decode(ProblemDetails.self, from: Data(text.utf8))
            var set = ProblemDetails(status: 409)
            set.status = status
            for problem in [read, ProblemDetails(title: "t", status: status), set] {
                expectNil(problem.status)
                expect(TransportResponse(problem).status, equals: 500)
            }
        }
        for status in [100, 101, 200, 204, 302, 304, 399] {
            let response = TransportResponse(ProblemDetails(title: "t", status: status))
            expect(response.status, equals: 500, "\(status)")
            expect(
                String(decoding: response.body, as: UTF8.self),
                equals: #"{"status":500,"title":"t","type":"about:blank"}"#)
        }
        for status in [400, 409, 599] {
            expect(TransportResponse(ProblemDetails(status: status)).status, equals: status)
        }
    }

    @Test("headers with twenty thousand fields cost only a small multiple of a dictionary of that size")
    func manyHeaders() {
        let fields = (0..<20_000).map { ("X-Field-\($0)", "value") }
        func best(_ body: () -> Void) -> Duration {
            (0..<3).map { _ in processorTime(of: body) }.min() ?? .zero
        }
        let plain = best {
            var dictionary: [String: String] = [:]
            for (name, value) in fields { dictionary[name.lowercased()] = value }
            expect(dictionary.count, equals: 20_000)
        }
        let time = best {
            var headers = HTTPHeaders(fields)
            for (name, _) in fields { headers[name]? += "s" }
            for (name, _) in fields { headers.append("more", for: name) }
            expect(headers, equals: headers)
            expect(headers["x-field-19999"], equals: "values, more")
            expect(headers.fields.count, equals: 20_000)
            for (name, _) in fields { headers[name] = nil }
            #expect(headers.fields.isEmpty)
        }
        #expect(time / plain < 100)
    }

    @Test("a problem is read by RFC 9457: members of the wrong type are ignored, and unknown members are kept")
    func problems() throws {
        let text =
            #"{"type": 1, "title": "t", "status": "x", "detail": null, "accounts": ["a", {"b": [true, null, 1.5]}]}"#
        let problem = try JSONDecoder().decode(ProblemDetails.self, from: Data(text.utf8))
        let inner = JSONValue.object(["b": .array([.bool(true), .null, .number(1.5)])])
        expect(
            problem,
            equals: ProblemDetails(title: "t", extensions: ["accounts": .array([.string("a"), inner])]))
        expect(problem.type, equals: "about:blank")
        expectNil(problem.status)
        expectNil(problem.detail)
        let again = try JSONDecoder().decode(ProblemDetails.self, from: JSONEncoder().encode(problem))
        expect(again, equals: problem)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ProblemDetails.self, from: Data("[]".utf8)) }
    }

    @Test("a problem that is sent as a response has its own status or 500, and is read back unchanged")
    func answers() {
        let problem = ProblemDetails(
            type: "https://shop.example/problems/stock", title: "Out of stock", status: 409,
            extensions: ["left": .number(0)])
        let response = TransportResponse(problem)
        expect(response.status, equals: 409)
        expect(response.headers["content-type"], equals: "application/problem+json")
        expect(
            HTTPFailure(status: response.status, headers: response.headers, body: response.body).problem,
            equals: problem)
        expect(
            String(decoding: response.body, as: UTF8.self),
            equals: #"{"left":0,"status":409,"title":"Out of stock","type":"https://shop.example/problems/stock"}"#)
        // Values that aren't JSON are left out.
        let bare = TransportResponse(ProblemDetails(title: "t", extensions: ["ratio": .number(.init(.nan))]))
        expect(bare.status, equals: 500)
        expect(String(decoding: bare.body, as: UTF8.self), equals: #"{"title":"t","type":"about:blank"}"#)
    }

    @Test(
        "H11: a problem's numbers keep all digits of a 64-bit integer, even when the problem is passed on",
        .tags(.http11))
    func numbers() throws {
        func passedOn(_ number: String) -> (JSONValue?, String) {
            let body = Data(#"{"ids":[\#(number)],"status":409,"type":"about:blank"}"#.utf8)
            let failure = HTTPFailure(
                status: 409, headers: ["Content-Type": ProblemDetails.mediaType], body: body)
            let sent = failure.problem.map { String(decoding: TransportResponse($0).body, as: UTF8.self) } ?? ""
            return (failure.problem?.extensions["ids"], sent)
        }
        let (above64, above128) = ("18446744073709551616", "1" + String(repeating: "0", count: 40))
        for (number, sent, value) in [
            ("9007199254740993", nil, 9_007_199_254_740_993), ("1234567890123456789", nil, 1_234_567_890_123_456_789),
            ("\(Int64.max)", nil, .init(Int64.max)), ("\(Int64.min)", nil, .init(Int64.min)),
            ("\(UInt64.max)", nil, .init(UInt64.max)), (above64, nil, 18_446_744_073_709_551_616),
            ("9007199254740993.0", "9007199254740993", 9_007_199_254_740_993), ("1e3", "1000", 1_000),
            ("1.0", "1", 1), ("-0", "0", 0), ("0.1", nil, 0.1), ("1.5", nil, 1.5), ("-2.5e-7", "-2.5e-07", -2.5e-7),
            (above128, "1e+40", 1e40),
        ] as [(String, String?, JSONValue.Number)] {
            let (read, written) = passedOn(number)
            expect(read, equals: .array([.number(value)]), "\(number)")
            expect(
                written, equals: #"{"ids":[\#(sent ?? number)],"status":409,"type":"about:blank"}"#, "\(number)")
        }
        // A number that doesn't fit into a Double is left out.
        expectNil(passedOn("1e400").0)
        // Different whole numbers stay different, even if their nearest Double is the same.
        let numbers: [JSONValue.Number] = [9_007_199_254_740_992, 9_007_199_254_740_993, 9_007_199_254_740_992.0]
        expect(
            [numbers[0] == numbers[1], numbers[0] == numbers[2], numbers[1] == numbers[2]],
            equals: [false, true, false])
        expect(Set(numbers).count, equals: 2)
        expect(numbers.map(\.description), equals: ["9007199254740992", "9007199254740993", "9007199254740992.0"])
        expect([JSONValue.Number(1_000.0).integer, JSONValue.Number(0.5).integer], equals: [1_000, nil])
        expect(JSONValue.Number(UInt64.max).double, equals: 0x1p64)
    }

    @Test("H11: numbers keep their digits in a format whose decoder doesn't read 128 bits", .tags(.http11))
    func otherFormats() throws {
        let numbers: [JSONValue.Number] = [
            9_007_199_254_740_993, .init(Int64.min), .init(Int64.max), .init(UInt64.max), 0, 1.5, -0.25, 1e300,
        ]
        let problem = ProblemDetails(extensions: ["on": .bool(true), "ids": .array(numbers.map { .number($0) })])
        let data = try PropertyListEncoder().encode(problem)
        expect(try PropertyListDecoder().decode(ProblemDetails.self, from: data), equals: problem)
    }

    @Test("a problem is read in its charset, as a successful response is")
    func charsets() throws {
        for (charset, encoding) in [
            ("iso-8859-1", String.Encoding.isoLatin1), ("\"Windows-1252\"", .windowsCP1252), ("utf-8", .utf8),
            ("utf-16le", .utf16LittleEndian), ("iso-8859-1", .utf8), ("x-unknown", .utf8), ("", .utf8),
        ] {
            let failure = HTTPFailure(
                status: 400, headers: ["Content-Type": "application/problem+json; charset=\(charset)"],
                body: try #require(#"{"title": "ä"}"#.data(using: encoding)))
            expect(failure.problem?.title, equals: "ä", "\(charset)")
        }
    }

    @Test("a value with too many nested levels, which would take long to read, is an error; a problem drops it")
    func deep() throws {
        func nested(_ depth: Int, _ count: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "0,", count: count) + "0"
                + String(repeating: "]", count: depth)
        }
        _ = try JSONDecoder().decode(JSONValue.self, from: Data(nested(20, 10).utf8))
        for (depth, count) in [(21, 10), (500, 500_000)] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(JSONValue.self, from: Data(nested(depth, count).utf8))
            }
        }
        let body = #"{"title": "t", "deep": \#(nested(500, 30_000)), "flat": [[1]]}"#
        let failure = HTTPFailure(
            status: 500, headers: ["Content-Type": ProblemDetails.mediaType], body: Data(body.utf8))
        expect(failure.problem?.title, equals: "t")
        expect(failure.problem?.extensions, equals: ["flat": .array([.array([.number(1)])])])
    }

    @Test("a failure keeps as much of its body and header fields as fits, and reads its values from all fields")
    func failures() {
        let long = HTTPFailure(status: 500, body: Data(repeating: 7, count: HTTPFailure.bodyLimit + 1))
        expect(long.body.indices, equals: 0..<HTTPFailure.bodyLimit)
        let body = Data(#"{"title": "t"}"#.utf8)
        func title(_ type: String, _ body: Data) -> String? {
            HTTPFailure(status: 400, headers: ["content-type": type], body: body).problem?.title
        }
        expect(title("Application/Problem+JSON", body), equals: "t")
        expectNil(title("application/json", body))
        expectNil(HTTPFailure(status: 400, headers: ["content-type": "application/problem+json"]).problem)

        let large = String(repeating: "x", count: HTTPFailure.headerLimit)
        let fields = [("A", "1"), ("Set-Cookie", large)] + (0..<20_000).map { ("X-\($0)", "value") }
        let last = [("Retry-After", "7"), ("Content-Type", "application/problem+json")]
        let failure = HTTPFailure(status: 503, headers: HTTPHeaders(fields + last), body: body)
        let size = failure.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        #expect(size <= HTTPFailure.headerLimit)
        #expect(size > HTTPFailure.headerLimit - 100)
        expect(["A", "X-7", "Set-Cookie"].map { failure.headers[$0] }, equals: ["1", "value", nil])
        expect(failure.retryAfter, equals: .seconds(7))
        expect(failure.problem?.title, equals: "t")
    }

    @Test("a request is idempotent by its method (RFC 9110) or by its key")
    func idempotent() throws {
        let url = try #require(URL(string: "https://example.org"))
        for method in [HTTPMethod.get, .head, .options, .trace, .put, .delete] {
            #expect(TransportRequest(method: method, url: url).isIdempotent)
        }
        for method in [HTTPMethod.post, .patch, .init(rawValue: "CONNECT"), .init(rawValue: "query")] {
            #expect(!TransportRequest(method: method, url: url).isIdempotent)
            #expect(TransportRequest(method: method, url: url, headers: ["idempotency-key": "1"]).isIdempotent)
        }
    }

    @Test("a method is in capitals, however it was written")
    func methods() {
        expect(HTTPMethod(rawValue: "put"), equals: .put)
        expect("\(HTTPMethod(rawValue: "query"))", equals: "QUERY")
        expect(HTTPMethod(rawValue: "poſt").rawValue, equals: "POſT")
        let url = URL(fileURLWithPath: "/")
        #expect(TransportRequest(method: HTTPMethod(rawValue: "Delete"), url: url).isIdempotent)
    }

    @Test("header fields are a sequence in their order, and equal header fields have equal hashes")
    func fields() {
        let headers: HTTPHeaders = ["B": "1", "a": "2", "Set-Cookie": "x", "set-cookie": "y"]
        expect(headers.map { "\($0.name)=\($0.value)" }, equals: ["B=1", "a=2", "Set-Cookie=x", "Set-Cookie=y"])
        expect(Set([headers, ["A": "2", "set-cookie": "x", "Set-Cookie": "y", "b": "1"]]).count, equals: 1)
        expect(Set([headers, ["B": "1"]]).count, equals: 2)
        #expect(!(headers is any Encodable))
    }

    @Test("an Accept field lists the requested content types")
    func accept() {
        let types = [
            ("application/json; charset=utf-8", "application/json"), ("Application/VND.x+JSON", "application/json"),
            ("text/html", "application/json, text/*;q=0.5"), ("text/html", "*/*"), ("text/html", "application/json"),
            ("", "application/json"),
        ]
        expect(
            types.map { MediaType($0).isAccepted(by: $1) }, equals: [true, true, true, true, false, false])
    }
}
