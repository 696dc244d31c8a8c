import Foundation

/// The state machine of one transfer: a plain value.
///
/// Events are method calls. An event that ends the transfer returns its result. A transfer ends once: later events
/// change nothing, and later bytes are not kept.
struct TransferMachine {
    typealias End = Result<TransportResponse, any Error>

    /// The most bytes that are kept of a body.
    let bodyLimit: Int

    private enum Phase {
        case sending
        /// `isTooLong` if the head declares a body that is longer than the limit.
        case receiving(TransportResponse, isTooLong: Bool)
        case ended
    }

    private var phase = Phase.sending

    init(bodyLimit: Int) {
        self.bodyLimit = bodyLimit
    }

    /// Whether no head has come yet.
    var isWithoutHead: Bool {
        if case .sending = phase { return true }
        return false
    }

    /// Whether the transfer has not ended, so that a caller still waits for it.
    var isWanted: Bool {
        if case .ended = phase { return false }
        return true
    }

    /// Receives the head of a response; one that only announces another is not the last.
    ///
    /// Ends the transfer if the declared length is none. URLSession takes what follows a number for nothing, and of two
    /// lengths the last.
    mutating func receive(_ head: TransportResponse) -> End? {
        guard isWanted else { return nil }
        phase = .receiving(head, isTooLong: false)
        let isBodiless = head.status < 200 || [204, 304].contains(head.status)
        guard !isBodiless, let field = head.headers["Content-Length"], head.headers["Transfer-Encoding"] == nil else {
            return nil
        }
        let lengths = Set(field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        guard lengths.count == 1, let text = lengths.first, text.allSatisfy(\.isNumber), let length = Int(text) else {
            phase = .ended
            return .failure(URLError(.cannotParseResponse))
        }
        phase = .receiving(head, isTooLong: length > bodyLimit)
        return nil
    }

    /// Receives the head of a response that the session has at the end; ignored unless it is the first one.
    mutating func receiveAtEnd(_ head: TransportResponse) {
        if case .sending = phase { phase = .receiving(head, isTooLong: false) }
    }

    /// Receives a part of the body; ends the transfer with what fits if that is not all.
    ///
    /// Ends the transfer with an error if there was no head, or only one that announces another. On Linux libcurl takes a line that
    /// begins with a return for the end of a head; URLSession then has no response, and at the end makes up a status
    /// 200.
    mutating func receive(_ data: Data) -> End? {
        guard isWanted else { return nil }
        guard case .receiving(var response, let isTooLong) = phase, response.status >= 200 else {
            phase = .ended
            return .failure(URLError(.cannotParseResponse))
        }
        // Drops the other reference to the body, so that appending does not copy it.
        phase = .ended
        response.isTruncated = response.body.count + data.count > bodyLimit
        response.body.append(data.prefix(bodyLimit - response.body.count))
        if response.isTruncated { return .success(response) }
        phase = .receiving(response, isTooLong: isTooLong)
        return nil
    }

    /// Ends the transfer because the session has completed it.
    ///
    /// A response that would have been too long has its head, and the beginning of its body, however it ends.
    mutating func complete(_ error: (any Error)?) -> End? {
        defer { phase = .ended }
        switch phase {
        case .ended: return nil
        case .sending: return .failure(error ?? URLError(.badServerResponse))
        case .receiving(var response, let isTooLong):
            response.isTruncated = isTooLong
            return isTooLong ? .success(response) : error.map { .failure($0) } ?? .success(response)
        }
    }

    /// Ends the transfer because its caller stops waiting: the task was cancelled, or the time limit is over.
    mutating func abandon(_ error: any Error) -> End? {
        guard isWanted else { return nil }
        phase = .ended
        return .failure(error)
    }
}
