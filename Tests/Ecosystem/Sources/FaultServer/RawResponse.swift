/// Responses that are sent exactly as written here.
///
/// A path such as `/raw/trailer` selects one. The connection is closed after each response.
enum RawResponse {
    /// Returns a response's bytes.
    ///
    /// Each Unicode scalar becomes one byte.
    static func bytes(_ name: String) -> [UInt8]? {
        all[name].map { text in text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
    }

    static let all = framing.merging(heads) { $1 }.merging(redirects) { $1 }

    /// Responses that declare the end of their body wrongly or in an unusual form.
    private static let framing = [
        "trailer": chunked("2\r\n{}\r\n0\r\nX-Sum: 7\r\n\r\n"),
        "chunk-extension": chunked("2;a=b\r\n{}\r\n0;c\r\n\r\n"),
        "chunk-size/words": chunked("many\r\n{}\r\n0\r\n\r\n"),
        "chunk-size/negative": chunked("-2\r\n{}\r\n0\r\n\r\n"),
        "chunk-size/2-63": chunked("7fffffffffffffff\r\n{}"),
        "chunk-size/2-64": chunked("ffffffffffffffff\r\n{}"),
        "length/2-63": ok(["Content-Length: 9223372036854775807"]),
        "length/2-62": ok(["Content-Length: 4611686018427387904"]),
        "length/2-70": ok(["Content-Length: 1180591620717411303424"]),
        "length/negative": ok(["Content-Length: -5"]),
        "length/empty": ok(["Content-Length:"]),
        "length/hexadecimal": ok(["Content-Length: 0x2"]),
        "length/plus": ok(["Content-Length: +2"]),
        "length/twice": ok(["Content-Length: 2", "Content-Length: 2"]),
        "length/two": ok(["Content-Length: 2", "Content-Length: 1"]),
        "length/two-chunked":
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "length/none": "HTTP/1.0 200 OK\r\n\r\n{}",
        "coding/unknown": ok(["Transfer-Encoding: folded", "Content-Length: 2"]),
        "encoding/unknown": ok(["Content-Encoding: folded", "Content-Length: 2"]),
        "encoding/nine-times": ok([
            "Content-Encoding: gzip\(String(repeating: ", gzip", count: 8))", "Content-Length: 2",
        ]),
        "not-modified": "HTTP/1.1 304 Not Modified\r\nContent-Length: 104857600\r\n\r\n",
        "reset-content": "HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\n{}",
        "body-without-need": "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}",
    ]

    /// Responses with invalid or unusual heads.
    private static let heads = [
        "status/none": "HTTP/1.1 \r\n\r\n",
        "status/000": status("000 Zero"),
        "status/099": status("099 Low"),
        "status/600": status("600 High"),
        "status/999": status("999 High"),
        "status/1000": status("1000 High"),
        "status/negative": status("-20 Low"),
        "status/without-reason": status("200"),
        "status/latin-1": status("200 Caf\u{e9}"),
        "version/0.9": "{}",
        "version/1.0": "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        "version/2": "HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        "version/3.7": "HTTP/3.7 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        "announced": String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n", count: 200)
            + ok(["Content-Length: 2"]),
        "only-announced": "HTTP/1.1 103 Early Hints\r\n\r\n",
        "header/nul": ok(["X-A: a\u{0}b", "Content-Length: 2"]),
        "header/nul-first": ok(["\u{0}X-A: a", "Content-Length: 2"]),
        "header/return-first": "HTTP/1.1 204 No Content\r\n\rX-A: a\r\n\r\n",
        "header/return-before-body": "HTTP/1.1 401 No\r\n\rContent-Length: 2\r\n\r\n{}",
        "header/return-after-hints":
            "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 401 No\r\n\rContent-Length: 2\r\n\r\n{}",
        "header/nul-in-name": ok(["X\u{0}A: a", "Content-Length: 2"]),
        "header/latin-1": ok(["X-A: caf\u{e9}", "Content-Length: 2"]),
        "header/return": ok(["X-A: a\rb", "Content-Length: 2"]),
        "header/without-colon": ok(["Nothing to see", "Content-Length: 2"]),
        "header/without-name": ok([": a", "Content-Length: 2"]),
        "header/space-in-name": ok(["X A : a", "Content-Length: 2"]),
        "header/folded": ok(["X-A: a", " b", "Content-Length: 2"]),
        "header/long": ok(["X-A: \(String(repeating: "a", count: 60_000))", "Content-Length: 2"]),
        "header/too-long": ok(["X-A: \(String(repeating: "a", count: 2_000_000))", "Content-Length: 2"]),
        "header/many": ok((0..<5_000).map { "X-\($0): a" } + ["Content-Length: 2"]),
        "header/too-many": ok((0..<100_000).map { "X-\($0): a" } + ["Content-Length: 2"]),
        // Announce that the connection ends: a client might send its next request while the connection is being closed.
        "twice/content-type": ok(["Content-Type: application/json", "Content-Length: 2", "Connection: close"]),
        "twice/problem": "HTTP/1.1 409 No\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
            + "Content-Type: application/problem+json\r\nContent-Length: 16\r\n\r\n{\"title\":\"sold\"}",
        "twice/retry-after": "HTTP/1.1 503 No\r\nDate: \(date(37))\r\nRetry-After: \(date(40))\r\nDate: \(date(37))\r\n"
            + "Retry-After: \(date(40))\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        "twice/location":
            "HTTP/1.1 302 Found\r\nLocation: /json?a=1\r\nLocation: /json?a=1\r\nConnection: close\r\n"
            + "Content-Length: 0\r\n\r\n",
        "twice/cookies": ok([
            "Set-Cookie: a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "Set-Cookie: b=2; Path=/", "Content-Length: 2",
            "Connection: close",
        ]),
        "header/cookies": ok([
            "Set-Cookie: a=b; Expires=never; Max-Age=99999999999999999999; Domain=; Path", "Set-Cookie: ;;=",
            "Content-Length: 2",
        ]),
        "line-feeds": "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
    ]

    private static let redirects = [
        "redirect/ipv6": redirect("//[::1]:9/"),
        "redirect/nowhere": redirect("http://"),
        "redirect/no-url": redirect("http://[::1"),
        "redirect/mail": redirect("mailto:somebody@example.com"),
        "redirect/file": redirect("file:///etc/passwd"),
        "redirect/empty": redirect(""),
        "redirect/port": redirect("http://127.0.0.1:99999999/"),
    ]

    private static func date(_ second: Int) -> String { "Sun, 06 Nov 1994 08:49:\(second) GMT" }

    private static func ok(_ fields: [String]) -> String {
        (["HTTP/1.1 200 OK", "Content-Type: application/json"] + fields).joined(separator: "\r\n") + "\r\n\r\n{}"
    }

    private static func status(_ text: String) -> String { "HTTP/1.1 \(text)\r\nContent-Length: 2\r\n\r\n{}" }

    private static func chunked(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
    }

    private static func redirect(_ location: String) -> String {
        "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
    }
}
