import Foundation
import NIOCore
import NIOHTTP1

/// The faults that a URL's path can select, as steps.
enum Fault {
    private static let megabyte = 1 << 20

    /// Returns the steps for a request; a 404 for an unknown path.
    static func steps(for request: Request) -> [Step] {
        let segments = request.segments
        let first = segments.first ?? ""
        let rest = segments.dropFirst().joined(separator: "/")
        return plain(first, rest, request) ?? ending(first, rest, request) ?? slow(first, request)
            ?? wrong(first, rest, request) ?? packed(first, rest, request) ?? raw(first, rest)
            ?? .answer(404, json: #"{"error":"no such fault"}"#, to: request.method)
    }

    /// Returns the steps of correct responses.
    private static func plain(_ first: String, _ rest: String, _ request: Request) -> [Step]? {
        let method = request.method
        switch first {
        case "status":
            guard let status = Int(rest), (100...599).contains(status) else { return nil }
            let json = #"{"status":\#(status)}"#
            if status >= 200 { return .answer(status, json: json, to: method) }
            // A status below 200 is informational: the answer follows.
            return [.bytes(.head(status))] + .answer(200, json: json, to: method)
        case "retry-after":
            // The date is two minutes after the answer's own `Date`, long ago: relative to any other clock, the delay
            // is zero.
            let forms = [
                "seconds": "120",
                "imf": "Sun, 06 Nov 1994 08:51:37 GMT",
                "rfc850": "Sunday, 06-Nov-94 08:51:37 GMT",
                "asctime": "Sun Nov  6 08:51:37 1994",
            ]
            guard let value = forms[rest] else { return nil }
            let fields = [("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Retry-After", value)]
            return .answer(503, headers: fields, json: #"{"status":503}"#, to: method)
        case "json": return .answer(200, json: request.queryAsJSON, to: method)
        case "echo": return .answer(200, json: request.echo, to: method)
        // Before this, the handler stopped reading within the request until `resumeReading` was called.
        case "unread": return .answer(200, json: #"{"read":\#(request.body.count)}"#, to: method)
        case "empty": return .answer(200, json: "", to: method)
        case "no-content": return .answer(204, json: "", to: method)
        case "malformed-json": return .answer(200, json: #"{"answer": [1, 2"#, to: method)
        case "content-type":
            let type = ["html": "text/html; charset=utf-8", "text": "text/plain"]
            let body = Array("<html><body>Sign in to the café's network.</body></html>".utf8)
            return .answer(200, type: type[rest], body: body, to: method)
        // Sends a challenge to sign in. `?status=` is 401 or 407, and `?accepts=` the `Authorization` that ends it.
        case "challenge":
            if let accepted = request.parameter("accepts"), request.headers.first(name: "Authorization") == accepted {
                return .answer(200, json: #"{"challenged":false}"#, to: method)
            }
            let status = request.parameter("status").flatMap(Int.init) ?? 401
            let name = status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate"
            let fields = request.query.filter { $0.name == "by" }.map { (name, $0.value) }
            return .answer(status, headers: fields, json: #"{"challenged":true}"#, to: method)
        case "redirect-loop": return redirect(302, to: "/redirect-loop", method)
        // `/redirect/3` redirects three times. `/redirect?to=` redirects once, to any URL, with any `?status=`.
        case "redirect":
            let status = request.parameter("status").flatMap(Int.init) ?? 302
            if let target = request.parameter("to") { return redirect(status, to: target, method) }
            guard let left = Int(rest) else { return nil }
            return redirect(302, to: left > 1 ? "/redirect/\(left - 1)" : "/json?redirected=yes", method)
        case "big":
            guard let megabytes = Int(rest), megabytes > 0 else { return nil }
            let piece = ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 16)
            let fields = [("Content-Type", "text/plain"), ("Content-Length", "\(megabytes * megabyte)")]
            return [.bytes(.head(200, fields)), .repeated(piece, megabytes * megabyte / piece.readableBytes), .done]
        default: return nil
        }
    }

    private static func redirect(_ status: Int, to target: String, _ method: String) -> [Step] {
        .answer(status, headers: [("Location", target)], json: "{}", to: method)
    }

    /// Returns the steps of connections that end too early or never.
    private static func ending(_ first: String, _ rest: String, _ request: Request) -> [Step]? {
        switch (first, rest) {
        case ("drop", "before"): return [.close]
        case ("drop", "reset"): return [.reset]
        case ("drop", "within-headers"): return [.text("HTTP/1.1 200 OK\r\nContent-Ty"), .close]
        case ("drop", "after-headers"): return [.bytes(.head(200, json(length: 100))), .close]
        case ("truncated", ""):
            let status = request.parameter("status").flatMap(Int.init) ?? 200
            let fields = json(length: 100) + [("Location", "/json")]
            return [.bytes(.head(status, fields)), .text(#"{"answer":"#), .close]
        case ("truncated", "chunks"):
            let fields = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
            return [.bytes(.head(200, fields)), .text("a\r\n{\"answer\":\r\n"), .close]
        case ("keepalive-then-drop", ""):
            if request.isOnKeptConnection { return [.close] }
            return .answer(200, json: #"{"kept":true}"#, to: request.method)
        case ("hang", ""): return []
        default: return nil
        }
    }

    /// Returns the steps of slow responses; `?ms=` sets the length of each pause.
    private static func slow(_ first: String, _ request: Request) -> [Step]? {
        let milliseconds = request.parameter("ms").flatMap(Int64.init)
        switch first {
        case "slow-headers":
            let pause = Step.pause(.milliseconds(milliseconds ?? 30_000))
            return [pause] + .answer(200, json: #"{"answer":"slow"}"#, to: request.method)
        case "slow-body":
            let pause = Step.pause(.milliseconds(milliseconds ?? 30_000))
            return [.bytes(.head(200, json(length: 17))), .text(#"{"answer":"#), pause, .text(#""slow"}"#), .done]
        // Send header lines for longer than any test waits.
        case "drip-headers":
            let line = [Step.pause(.milliseconds(milliseconds ?? 20)), .text("X-Drop: a\r\n")]
            return [.text("HTTP/1.1 200 OK\r\n")] + (0..<25_000).flatMap { _ in line }
        case "drip":
            let pause = Step.pause(.milliseconds(milliseconds ?? 1_000))
            let body = Array(#"{"answer":"drop by drop"}"#.utf8)
            return [.bytes(.head(200, json(length: body.count)))] + body.flatMap { [pause, .bytes([$0])] } + [.done]
        default: return nil
        }
    }

    /// Returns the steps of answers that aren't HTTP or that contradict themselves.
    private static func wrong(_ first: String, _ rest: String, _ request: Request) -> [Step]? {
        switch (first, rest) {
        case ("garbage", ""): return [.text("\u{1}\u{2} This is not the web, go away.\r\n\r\n"), .close]
        case ("wrong-length", ""):
            return [.bytes(.head(200, json(length: 5))), .text(#"{"answer":"longer than it says"}"#), .close]
        case ("wrong-length", "words"):
            let fields = [("Content-Type", "application/json"), ("Content-Length", "many")]
            return [.bytes(.head(200, fields)), .text("{}"), .close]
        // `?status=` is the status. A redirect has a target.
        case ("endless-chunks", ""):
            let status = request.parameter("status").flatMap(Int.init) ?? 200
            let fields = [
                ("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked"), ("Retry-After", "7"),
                ("Location", "/json"),
            ]
            let piece = ByteBuffer(string: "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n")
            return [.bytes(.head(status, fields)), .repeated(piece, .max)]
        default: return nil
        }
    }

    /// Returns the steps of answers that are sent without any validation.
    private static func raw(_ first: String, _ rest: String) -> [Step]? {
        switch first {
        case "raw": RawResponse.bytes(rest).map { [.bytes($0), .close] }
        case "fuzz": UInt64(rest).map { [.bytes(FuzzedResponse.bytes($0)), .close] }
        default: nil
        }
    }

    /// Returns the steps of compressed answers.
    private static func packed(_ first: String, _ rest: String, _ request: Request) -> [Step]? {
        guard first == "gzip" else { return nil }
        let gzip = [("Content-Encoding", "gzip")]
        switch rest {
        case "": return .answer(200, headers: gzip, body: Gzip.json, to: request.method)
        case "garbage": return .answer(200, headers: gzip, json: "this was never packed", to: request.method)
        case "trailing": return .answer(200, headers: gzip, body: Gzip.json + Array("more".utf8), to: request.method)
        case "trailing-chunk":
            let fields = gzip + [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
            let size = String(Gzip.json.count, radix: 16)
            return [
                .bytes(.head(200, fields)), .text("\(size)\r\n"), .bytes(Gzip.json),
                .text("\r\n4\r\nmore\r\n0\r\n\r\n"),
                .done,
            ]
        case "truncated": return .answer(200, headers: gzip, body: Array(Gzip.json.dropLast(12)), to: request.method)
        case "bomb":
            // Send a hundred megabytes of zeros in a hundred kilobytes.
            let fields = gzip + [("Content-Type", "text/plain"), ("Connection", "close")]
            let quarter = ByteBuffer(bytes: Gzip.quarterOfAMegabyte)
            return [.bytes(.head(200, fields) + Gzip.header), .repeated(quarter, 400), .bytes(Gzip.trailer), .close]
        default: return nil
        }
    }

    private static func json(length: Int) -> [(String, String)] {
        [("Content-Type", "application/json"), ("Content-Length", "\(length)")]
    }
}

extension [UInt8] {
    static func head(_ status: Int, _ fields: [(String, String)] = []) -> [UInt8] { [Step].head(status, fields) }
}

/// Gzip data: a small answer, and the parts of a hundred megabytes of zeros.
enum Gzip {
    /// `{"answer":"packed"}`, compressed.
    static let json = Array(Data(base64Encoded: "H4sIAAAAAAACA6tWSswrLk8tUrJSKkhMzk5NUaoFABZUGNgTAAAA") ?? Data())

    static let header: [UInt8] = [0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff]

    /// 256 KB of zeros, compressed.
    ///
    /// The data ends at a byte boundary, so it can be repeated.
    static let quarterOfAMegabyte: [UInt8] =
        [0xec, 0xc1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf5, 0x4f, 0xed, 0x6d, 0x07, 0xa0]
        + Array(repeating: 0, count: 254) + [0xde, 0x00, 0x00, 0x00, 0xff, 0xff]

    /// An empty last block, and the checksum and length of four hundred repetitions.
    static let trailer: [UInt8] = [0x03, 0x00, 0x98, 0x23, 0x28, 0x4b, 0x00, 0x00, 0x40, 0x06]
}
