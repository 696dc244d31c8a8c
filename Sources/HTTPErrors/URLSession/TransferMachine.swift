import Foundation

/// The state machine of one transfer: a plain value.
///
/// Events are method calls. An event that ends the transfer returns its result. A transfer ends once: later events
/// change nothing, and later bytes are not kept.
struct TransferMachine {
    typealias End = Result<HTTPAnswer, any Error>

    /// The most bytes that a body may have.
    let bodyLimit: Int

    private enum Phase {
        case sending
        case receiving(HTTPAnswer)
        case ended
    }

    private var phase = Phase.sending

    init(bodyLimit: Int) {
        self.bodyLimit = bodyLimit
    }

    /// Whether the transfer has not ended, so that a caller still waits for it.
    var isWanted: Bool {
        if case .ended = phase { return false }
        return true
    }

    /// Receives the head of an answer; after a redirect it is not the first one.
    mutating func receive(_ head: HTTPAnswer) {
        guard isWanted else { return }
        phase = .receiving(head)
    }

    /// Receives the head of an answer that the session has at the end; ignored unless it is the first one.
    mutating func receiveAtEnd(_ head: HTTPAnswer) {
        if case .sending = phase { phase = .receiving(head) }
    }

    /// Receives a part of the body.
    mutating func receive(_ data: Data) -> End? {
        guard case .receiving(var answer) = phase else { return nil }
        // Drops the other reference to the body, so that appending does not copy it.
        phase = .ended
        guard answer.body.count + data.count <= bodyLimit else {
            return .failure(NetworkError.bodyTooLarge(limit: bodyLimit))
        }
        answer.body.append(data)
        phase = .receiving(answer)
        return nil
    }

    /// Ends the transfer because the session has completed it.
    mutating func complete(_ error: (any Error)?) -> End? {
        defer { phase = .ended }
        switch phase {
        case .ended: return nil
        case .sending: return .failure(error ?? URLError(.badServerResponse))
        case .receiving(let answer): return error.map { .failure($0) } ?? .success(answer)
        }
    }

    /// Ends the transfer because its caller stops waiting: the task was cancelled, or the time limit is over.
    mutating func abandon(_ error: any Error) -> End? {
        guard isWanted else { return nil }
        phase = .ended
        return .failure(error)
    }
}
