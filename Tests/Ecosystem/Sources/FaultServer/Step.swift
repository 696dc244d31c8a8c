import NIOCore

/// One thing that the server does with a connection after it has read a whole request.
///
/// A fault is a list of steps, so that one small interpreter can play every fault.
enum Step: Sendable {
    /// Writes bytes.
    case bytes([UInt8])
    /// Writes bytes a number of times, as fast as the client reads. Only a few pieces are in memory at the same time.
    case repeated(ByteBuffer, Int)
    /// Waits.
    case pause(TimeAmount)
    /// Ends the answer. The connection is kept if the client requests that.
    case done
    /// Closes the connection normally, even in the middle of an answer.
    case close
    /// Resets the connection.
    case reset

    static func text(_ text: String) -> Step { .bytes(Array(text.utf8)) }
}

extension [Step] {
    /// Returns the steps of a correct answer, which leaves the connection open.
    static func answer(
        _ status: Int,
        type: String? = "application/json",
        headers: [(String, String)] = [],
        body: [UInt8],
        to method: String
    ) -> [Step] {
        // Answers with these statuses have no body, and must not declare a length.
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
