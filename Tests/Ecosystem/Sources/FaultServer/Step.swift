import NIOCore

/// One thing that the server does with a connection once it has read a request whole.
///
/// A fault is a list of these and nothing else, so that one small interpreter plays them all.
enum Step: Sendable {
    /// These bytes, as they are.
    case bytes([UInt8])
    /// These bytes so many times, as fast as the client reads: no more than a few pieces are ever in memory.
    case repeated(ByteBuffer, Int)
    /// Nothing, for a time.
    case pause(TimeAmount)
    /// The answer is complete: the connection is kept if the client wants that.
    case done
    /// The connection ends in an orderly way, whatever was written.
    case close
    /// The connection ends with a reset.
    case reset

    static func text(_ text: String) -> Step { .bytes(Array(text.utf8)) }
}

extension [Step] {
    /// A proper answer that leaves the connection open.
    static func answer(
        _ status: Int,
        type: String? = "application/json",
        headers: [(String, String)] = [],
        body: [UInt8],
        to method: String
    ) -> [Step] {
        // These have no body by their status, and must not say a length.
        let isBodiless = status == 204 || status == 304
        var fields = headers
        if let type, !isBodiless { fields.append(("Content-Type", type)) }
        if !isBodiless { fields.append(("Content-Length", "\(body.count)")) }
        let isSent = !isBodiless && method != "HEAD"
        return [.bytes(head(status, fields) + (isSent ? body : [])), .done]
    }

    static func answer(_ status: Int, headers: [(String, String)] = [], json: String, to method: String) -> [Step] {
        answer(status, headers: headers, body: Array<UInt8>(json.utf8), to: method)
    }

    static func head(_ status: Int, _ fields: [(String, String)]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) Status"] + fields.map { "\($0.0): \($0.1)" }
        return Array<UInt8>((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
