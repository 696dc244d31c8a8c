import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A challenge is always answered, by the transport's handler if there is one", .hangLimit)
struct ChallengeTests {}

extension ChallengeTests {
    /// The sender of a challenge, which isn't used.
    private final class Sender: NSObject, URLAuthenticationChallengeSender {
        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
        func cancel(_ challenge: URLAuthenticationChallenge) {}
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
    }

    /// Opens a gate when it is released.
    private final class Sentinel: Sendable {
        let released: Gate

        init(_ released: Gate) { self.released = released }

        deinit { released.open() }
    }

    /// Returns a completion handler that must be released without being called, which opens a gate.
    private static func unanswered(_ released: Gate) -> @Sendable (Answer) -> Void {
        let sentinel = Sentinel(released)
        return { _ in withExtendedLifetime(sentinel) { _ = Issue.record("Foundation would continue") } }
    }

    private typealias Answer = (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?)

    /// Returns the transfer of a task that received a 401, and a function that challenges the task's delegate.
    private func challenged(
        _ handler: URLSessionHTTPTransport.ChallengeHandler?
    ) throws -> (transfer: Transfer, challenge: (@escaping @Sendable (Answer) -> Void) -> Void) {
        let delegate = TransferDelegate(onChallenge: handler)
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:9/")))
        let transfer = Transfer(bodyLimit: 10)
        delegate.add(transfer, for: task)
        transfer.receive(TransportResponse(status: 401))
        let space = URLProtectionSpace(
            host: "127.0.0.1", port: 9, protocol: "http", realm: "a",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: Sender())
        return (
            transfer,
            { completion in
                delegate.urlSession(session, task: task, didReceive: challenge) { completion(($0, $1)) }
            }
        )
    }

    @Test(
        "without a credential, the response with the challenge is the result; a handler can cancel instead",
        .onLinux("elsewhere URLSession itself acts by the answer"))
    func dispositions() async throws {
        let dispositions: [(URLSession.AuthChallengeDisposition, Int?)] = [
            (.performDefaultHandling, 401), (.rejectProtectionSpace, 401), (.useCredential, 401),
            (.cancelAuthenticationChallenge, nil),
        ]
        let handlers = dispositions.map { disposition, status -> (URLSessionHTTPTransport.ChallengeHandler?, Int?) in
            ({ _ in (disposition, nil) }, status)
        }
        for (handler, status) in handlers + [(nil, 401)] {
            let ((transfer, challenge), released) = (try challenged(handler), Gate())
            challenge(Self.unanswered(released))
            await released.wait()
            if let status {
                expect(try await transfer.response(within: .seconds(60)).status, equals: status)
            } else {
                await #expect(throws: URLError(.cancelled)) { try await transfer.response(within: .seconds(60)) }
            }
        }
    }

    @Test("a handler's credential is used, unless the caller is no longer waiting for the response")
    func credential() async throws {
        let credential = URLCredential(user: "u", password: "p", persistence: .none)
        let (challenges, answered) = (Locked<[String]>([]), Gate())
        let (_, challenge) = try challenged { challenge in
            challenges.withLock { $0.append(challenge.protectionSpace.authenticationMethod) }
            return (.useCredential, credential)
        }
        challenge { answer in
            expect(answer.disposition, equals: .useCredential)
            expect(answer.credential?.user, equals: "u")
            answered.open()
        }
        await answered.wait()
        expect(challenges.withLock { $0 }, equals: [NSURLAuthenticationMethodHTTPBasic])
        #if canImport(FoundationNetworking)
            // Foundation would trap if the task continued while it was being cancelled.
            let (hasChallenge, go, released) = (Gate(), Gate(), Gate())
            let (abandoned, late) = try challenged { _ in
                hasChallenge.open()
                await go.wait()
                return (.useCredential, credential)
            }
            late(Self.unanswered(released))
            await hasChallenge.wait()
            abandoned.abandon(CancellationError())
            go.open()
            await #expect(throws: CancellationError.self) { try await abandoned.response(within: .seconds(60)) }
            await released.wait()
        #endif
    }
}
