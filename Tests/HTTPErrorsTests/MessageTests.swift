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
        // Removing a field keeps the others in position. When it is added again, it is last.
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

    @Test("the first valid value of a repeated field counts, even if the layer below joined the values")
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

    @Test("a problem drops an invalid status, and a response uses only the status of a failure")
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

    @Test("a problem is read by RFC 9457: members of another type are ignored, and others are kept")
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
        let bare = TransportResponse(ProblemDetails(title: "t", extensions: ["ratio": .number(.nan)]))
        expect(bare.status, equals: 500)
        expect(String(decoding: bare.body, as: UTF8.self), equals: #"{"title":"t","type":"about:blank"}"#)
    }

    @Test("a value that is nested too deep, which would take long to read, is an error and not a member of a problem")
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

    @Test("a failure keeps as much of its body and header fields as fits, and reads its values from all of them")
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
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] {
            #expect(TransportRequest(method: method, url: url).isIdempotent)
        }
        for method in ["POST", "PATCH", "CONNECT", "get", "QUERY"] {
            #expect(!TransportRequest(method: method, url: url).isIdempotent)
            #expect(TransportRequest(method: method, url: url, headers: ["idempotency-key": "1"]).isIdempotent)
        }
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

@Suite("H5: a transfer ends once", .tags(.http5), .hangLimit)
struct TransferMachineTests {}

extension TransferMachineTests {
    @Test("a response arrives in parts, and its last head counts")
    func whole() throws {
        var machine = TransferMachine(bodyLimit: 10)
        expectNil(machine.receive(TransportResponse(status: 302, headers: ["Location": "x"])))
        expectNil(machine.receive(Data("moved".utf8)))
        expectNil(machine.receive(TransportResponse(status: 200, headers: ["A": "1"])))
        expectNil(machine.receive(Data("ab".utf8)))
        expectNil(machine.receive(Data("cd".utf8)))
        let response = try machine.complete(nil)?.get()
        expect(response?.status, equals: 200)
        expect(response?.headers, equals: ["A": "1"])
        expect(response?.body, equals: Data("abcd".utf8))
        #expect(!machine.isWanted)
        expectNil(machine.complete(nil))
    }

    @Test("at the limit it ends at once with the beginning of the body, and nothing changes that later")
    func tooLarge() throws {
        var machine = TransferMachine(bodyLimit: 4)
        expectNil(machine.receive(TransportResponse(status: 503, headers: ["Retry-After": "7"])))
        expectNil(machine.receive(Data("ab".utf8)))
        expectNil(machine.receive(Data("cd".utf8)))
        #expect(machine.isWanted)
        let response = try #require(try machine.receive(Data("e".utf8))?.get())
        expect(response.status, equals: 503)
        expect(response.headers["retry-after"], equals: "7")
        expect(String(decoding: response.body, as: UTF8.self), equals: "abcd")
        #expect(response.isTruncated)
        #expect(!machine.isWanted)
        expectNil(machine.receive(TransportResponse(status: 200)))
        expectNil(machine.receive(Data(count: 1)))
        expectNil(machine.abandon(URLError(.timedOut)))
        expectNil(machine.complete(URLError(.cancelled)))
        var whole = TransferMachine(bodyLimit: 4)
        expectNil(whole.receive(TransportResponse(status: 200)))
        expectNil(whole.receive(Data(count: 4)))
        expect(try whole.complete(nil)?.get().isTruncated, equals: false)
    }

    @Test("a response's headers are converted once, at the end only if no head came before")
    func convertedOnce() {
        var count = 0
        func head() -> TransportResponse {
            count += 1
            return TransportResponse(status: 200)
        }
        let late = Transfer(bodyLimit: 4)
        late.receiveAtEnd(head())
        expect(count, equals: 1)
        let early = Transfer(bodyLimit: 4)
        early.receive(head())
        early.receiveAtEnd(head())
        early.complete(nil)
        early.receiveAtEnd(head())
        expect(count, equals: 2)
    }

    @Test(
        "an invalid declared length ends it at once, and above the limit the head counts, however the rest ends")
    func declaredLength() throws {
        func end(_ length: String, status: Int = 200, coding: String? = nil) -> TransferMachine.End? {
            var machine = TransferMachine(bodyLimit: 4)
            var headers: HTTPHeaders = ["Content-Length": length]
            headers["Transfer-Encoding"] = coding
            return machine.receive(TransportResponse(status: status, headers: headers))
        }
        for length in ["0", "4", "4, 4", "4,4"] { expectNil(end(length)) }
        for length in ["5", "4611686018427387904"] {
            for error in [nil, URLError(.networkConnectionLost)] {
                var machine = TransferMachine(bodyLimit: 4)
                expectNil(machine.receive(TransportResponse(status: 503, headers: ["Content-Length": length])))
                expectNil(machine.receive(Data(count: 3)))
                let response = try #require(try machine.complete(error)?.get())
                expect([response.status, response.body.count], equals: [503, 3])
                #expect(response.isTruncated)
            }
            var machine = TransferMachine(bodyLimit: 4)
            expectNil(machine.receive(TransportResponse(status: 503, headers: ["Content-Length": length])))
            #expect(throws: URLError(.timedOut)) { try machine.abandon(URLError(.timedOut))?.get() }
        }
        for length in ["", "4, 3", "0x4", "+4", "-4", "4 4", "1180591620717411303424"] {
            #expect(throws: URLError(.cannotParseResponse)) { try end(length)?.get() }
        }
        // A response without a body, or with chunks, can declare any length.
        for status in [103, 204, 304] { expectNil(end("5", status: status)) }
        expectNil(end("5", coding: "chunked"))
    }

    @Test("a head at the end counts if none came before")
    func headAtEnd() async throws {
        let late = Transfer(bodyLimit: 4)
        late.receiveAtEnd(TransportResponse(status: 301))
        late.complete(nil)
        late.receiveAtEnd(TransportResponse(status: 302))
        expect(try await late.response(within: .seconds(60)).status, equals: 301)
        let early = Transfer(bodyLimit: 4)
        early.receive(TransportResponse(status: 200))
        early.receive(Data(count: 1))
        early.receiveAtEnd(TransportResponse(status: 301))
        early.complete(nil)
        expect(try await early.response(within: .seconds(60)).body.count, equals: 1)
    }

    @Test("a body that breaks off hides the status only within the limit, whenever the head came")
    func brokenOff() async throws {
        for status in [200, 301, 302, 307, 401, 429, 503] {
            for isLate in [false, true] {
                func response(length: Int) async throws -> TransportResponse {
                    let transfer = Transfer(bodyLimit: 4)
                    let head = TransportResponse(
                        status: status, headers: ["Content-Length": "\(length)", "Location": "/a"])
                    if isLate { transfer.receiveAtEnd(head) } else { transfer.receive(head) }
                    transfer.complete(URLError(.networkConnectionLost))
                    return try await transfer.response(within: .seconds(60))
                }
                let tooLong = try await response(length: 5)
                expect(tooLong.status, equals: status)
                expect(tooLong.headers["Location"], equals: "/a")
                #expect(tooLong.isTruncated)
                await #expect(throws: URLError(.networkConnectionLost)) { try await response(length: 4) }
            }
        }
    }

    @Test("a body or an end without a head is an error, and an error after the head discards the response")
    func errors() {
        for status in [nil, 100, 103] {
            var machine = TransferMachine(bodyLimit: 4)
            // An informational head doesn't count.
            if let status { expectNil(machine.receive(TransportResponse(status: status))) }
            #expect(throws: URLError(.cannotParseResponse)) { try machine.receive(Data(count: 1))?.get() }
            expectNil(machine.complete(nil))
        }
        var machine = TransferMachine(bodyLimit: 4)
        #expect(throws: URLError(.badServerResponse)) { try machine.complete(nil)?.get() }
        machine = TransferMachine(bodyLimit: 4)
        expectNil(machine.receive(TransportResponse(status: 200)))
        #expect(throws: URLError(.networkConnectionLost)) {
            try machine.complete(URLError(.networkConnectionLost))?.get()
        }
        machine = TransferMachine(bodyLimit: 4)
        #expect(throws: CancellationError.self) { try machine.abandon(CancellationError())?.get() }
        expectNil(machine.complete(nil))
    }
}
