import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors
import TestSupport

/// An error that carries its own decision to retry; circuits count it.
struct Flaky: RetryClassified { var retryDecision: RetryDecision { .retry() } }
/// An error that is neither retried nor counted.
struct Fatal: RetryClassified { var retryDecision: RetryDecision { .fail } }
/// An error that the first bus ignores.
struct Expected: RetryClassified { var retryDecision: RetryDecision { .fail } }

/// The result of one attempt of an operation.
enum Outcome: CaseIterable {
    case success, flaky, fatal, expected, cancelled
    // The results of an operation with a client. They replace all of the above except success:
    case unreachable, busy, unavailable, missing
}

/// Where errors are posted.
enum Destination: CaseIterable {
    case first, firstScope, second, secondScope

    var bus: Int { self == .first || self == .firstScope ? 0 : 1 }
    var path: [String] { self == .firstScope || self == .secondScope ? ["shop"] : [] }
}

/// A layer around an operation; the first layer is the outermost.
enum Layer {
    case retry(attempts: Int, reporting: Destination?)
    /// The number of the circuit, which is also the number of the bus to which it reports.
    case circuit(Int)
}

/// The end of an operation, where its error is caught.
enum End {
    case catching(Destination), task(Destination), loader(Destination), action(Destination)
}

/// One operation of a program.
struct Operation {
    /// A client that sends the requests; nil if the operation doesn't have a client.
    struct Client {
        let method: HTTPMethod
        let attempts: Int?
        let errors: Destination
    }

    let layers: [Layer]
    let client: Client?
    let end: End
    /// The results of its attempts in order; all later attempts succeed.
    let outcomes: [Outcome]
}

enum Event {
    case run(Operation)
    /// Lets time pass, so that open circuits allow a trial call.
    case pause
}

extension Event {
    /// Creates an event; a seed always creates the same events.
    static func random(_ random: inout SplitMix64) -> Event {
        if Int.random(in: 0..<6, using: &random) == 0 { return .pause }
        func destination() -> Destination { Destination.allCases.randomElement(using: &random) ?? .first }
        var layers: [Layer] = []
        var circuits = [0, 1].shuffled(using: &random)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            if Bool.random(using: &random), let circuit = circuits.popLast() {
                layers.append(.circuit(circuit))
            } else {
                let reporting = Bool.random(using: &random) ? destination() : nil
                layers.append(.retry(attempts: Int.random(in: 1...3, using: &random), reporting: reporting))
            }
        }
        let client =
            Bool.random(using: &random)
            ? nil
            : Operation.Client(
                method: Bool.random(using: &random) ? .get : .post,
                attempts: [nil, 1, 2, 3].randomElement(using: &random) ?? nil, errors: destination())
        let failures: [Outcome] =
            client == nil
            ? [.flaky, .flaky, .fatal, .expected, .cancelled] : [.unreachable, .busy, .unavailable, .missing]
        let outcomes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
            Int.random(in: 0..<4, using: &random) == 0 ? .success : failures.randomElement(using: &random) ?? .fatal
        }
        let ends: [(Destination) -> End] = [End.catching, End.task, End.loader, End.action]
        let end = ends[Int.random(in: ends.indices, using: &random)](destination())
        return .run(Operation(layers: layers, client: client, end: end, outcomes: outcomes))
    }
}
