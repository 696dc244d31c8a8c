import Foundation

/// The state machine of one transfer: a plain value.
///
/// Events are method calls. The event that ends the transfer returns its result. A transfer ends only once: later
/// events have no effect, and later bytes are dropped.
struct TransferMachine {
    typealias End = Result<TransportResponse, any Error>

    /// The maximum size of the returned body in bytes.
    let bodyLimit: Int

    private enum Phase {
        case sending
        /// `isTooLong` is true if the head declares a body that exceeds the limit.
        case receiving(TransportResponse, isTooLong: Bool)
        case ended
    }

    private var phase = Phase.sending

    init(bodyLimit: Int) {
        self.bodyLimit = bodyLimit
    }

    /// Whether a head hasn't arrived yet.
    var isWithoutHead: Bool { if case .sending = phase { true } else { false } }

    /// Whether the transfer hasn't ended, so that a caller is still waiting for it.
    var isWanted: Bool { if case .ended = phase { false } else { true } }

    /// Receives the head of a response.
    ///
    /// An informational head (1xx) is followed by another head.
    ///
    /// The transfer ends if the declared length isn't valid, because URLSession ignores characters after a number and
    /// uses the last of two lengths.
    mutating func receive(_ head: TransportResponse) -> End? {
        guard isWanted else { return nil }
        phase = .receiving(head, isTooLong: false)
        let isBodiless = head.status < 200 || [204, 304].contains(head.status)
        guard !isBodiless, let field = head.headers["Content-Length"], head.headers["Transfer-Encoding"] == nil else {
            return nil
        }
        let lengths = Set(field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        guard lengths.count == 1, let text = lengths.first, text.allSatisfy(\.isNumber), let length = Int64(text) else {
            phase = .ended
            return .failure(URLError(.cannotParseResponse))
        }
        phase = .receiving(head, isTooLong: length > bodyLimit)
        return nil
    }

    /// Receives a part of the body.
    ///
    /// If the body exceeds the limit, the transfer ends with the beginning of the body.
    ///
    /// If there was no head, or only an informational head, the transfer ends with an error. On Linux, libcurl treats a
    /// line that begins with a carriage return as the end of a head. URLSession then doesn't have a response, and
    /// finally makes up the status 200.
    mutating func receive(_ data: Data) -> End? {
        guard isWanted else { return nil }
        guard case .receiving(var response, let isTooLong) = phase, response.status >= 200 else {
            phase = .ended
            return .failure(URLError(.cannotParseResponse))
        }
        // Drop the other reference to the body, so that appending doesn't copy it.
        phase = .ended
        response.isTruncated = response.body.count + data.count > bodyLimit
        response.body.append(data.prefix(bodyLimit - response.body.count))
        if response.isTruncated { return .success(response) }
        phase = .receiving(response, isTooLong: isTooLong)
        return nil
    }

    /// Ends the transfer because the session completed it.
    ///
    /// If the declared body was too long, the result is the head with the beginning of the body, even if the session
    /// reports an error.
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

    /// Ends the transfer because its caller stopped waiting: the task was cancelled, or the time limit expired.
    mutating func abandon(_ error: any Error) -> End? {
        guard isWanted else { return nil }
        phase = .ended
        return .failure(error)
    }
}
