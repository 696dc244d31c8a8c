import Foundation

/// One transfer from its beginning to its end, as a plain value.
///
/// Events are method calls; an event that ends the transfer returns how. It ends once: what comes later changes
/// nothing, and its bytes are not kept.
struct TransferMachine {
    typealias End = Result<HTTPAnswer, any Error>

    /// How much of a body is kept.
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

    /// Whether anybody waits for more of it.
    var isWanted: Bool {
        if case .ended = phase { return false }
        return true
    }

    /// The head of an answer came; after a redirect it is not the first.
    mutating func receive(_ head: HTTPAnswer) {
        guard isWanted else { return }
        phase = .receiving(head)
    }

    /// The session knew the head of an answer at its end; it counts if none came before.
    mutating func receiveAtEnd(_ head: HTTPAnswer) {
        if case .sending = phase { phase = .receiving(head) }
    }

    /// A part of the body came.
    mutating func receive(_ data: Data) -> End? {
        guard case .receiving(var answer) = phase else { return nil }
        // Let go of first, so that the body is not copied for each of its parts.
        phase = .ended
        guard answer.body.count + data.count <= bodyLimit else {
            return .failure(NetworkError.bodyTooLarge(limit: bodyLimit))
        }
        answer.body.append(data)
        phase = .receiving(answer)
        return nil
    }

    /// The session is through with it.
    mutating func complete(_ error: (any Error)?) -> End? {
        defer { phase = .ended }
        switch phase {
        case .ended: return nil
        case .sending: return .failure(error ?? URLError(.badServerResponse))
        case .receiving(let answer): return error.map { .failure($0) } ?? .success(answer)
        }
    }

    /// Nobody waits any longer: the task was cancelled, or the time is up.
    mutating func abandon(_ error: any Error) -> End? {
        guard isWanted else { return nil }
        phase = .ended
        return .failure(error)
    }
}
