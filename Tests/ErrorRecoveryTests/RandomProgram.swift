import ErrorRecovery
import ErrorRouting
import Foundation
import TestSupport

/// A random program with nested retries, circuits, tasks, posts, and jumping clocks.
///
/// Each event, such as a failing call or a cancellation during a delay, depends on the seed and on how often it
/// occurred before. So the library and the model encounter the same events.
struct RandomProgram {
    indirect enum Step: Sendable {
        /// Calls the dependency.
        case call(Int)
        case retry(Int, Step)
        case circuit(Int, Step)
        case sequence([Step])
        /// Wraps the thrown error in an error of another type.
        case wrap(Step)
        /// Catches the thrown error and posts it.
        case swallow(Step, Int)
        /// Runs in a new task, which might be cancelled before it begins.
        case task(Int, Step)
        /// Moves the clock by a number of minutes.
        case jump(Int)
        /// Isolates or closes a circuit by hand.
        case set(Int, isIsolated: Bool)
    }

    /// A retry policy, in minutes.
    struct Policy {
        let maxAttempts: Int
        let delay: Int
        let deadline: Int?
        let budget: Int?
        let retriesRefusals: Bool
        /// Where to post attempts; nil if attempts aren't posted.
        let target: Int?
    }

    struct Budget {
        let eighths: Int
        let reserve: Int
    }

    /// A circuit, in minutes.
    struct Circuit {
        let tenths: Int
        let minimum: Int
        let window: Int
        let openPeriod: Int
    }

    /// The posters: bus A, a scope of it, a scope of that scope, bus B, and a scope of bus B.
    static let posterCount = 5
    static let circuits = 3

    let seed: UInt64
    private(set) var policies: [Policy] = []
    private(set) var budgets: [Budget] = []
    private(set) var circuits: [Circuit] = []
    private(set) var steps: [Step] = []

    init(seed: UInt64) {
        self.seed = seed
        var generator = SplitMix64(seed: seed)
        func random(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
        for _ in 0..<2 { budgets.append(Budget(eighths: random(0...8), reserve: random(0...4))) }
        for _ in 0..<4 {
            policies.append(
                Policy(
                    maxAttempts: random(1...4), delay: random(0...3),
                    deadline: random(0...3) == 0 ? random(0...9) : nil,
                    budget: [nil, 0, 0, 1][random(0...3)], retriesRefusals: random(0...1) == 0,
                    target: random(0...1) == 0 ? random(0...(Self.posterCount - 1)) : nil))
        }
        for _ in 0..<Self.circuits {
            circuits.append(
                Circuit(
                    tenths: random(1...10), minimum: random(1...2), window: random(1...30), openPeriod: random(0...8)))
        }
        func step(_ depth: Int) -> Step {
            let kind = depth == 0 ? 0 : random(0...15)
            switch kind {
            case 4, 5, 6: return .retry(random(0...3), step(depth - 1))
            case 3, 7, 8, 9: return .circuit(random(0...(Self.circuits - 1)), step(depth - 1))
            case 10: return .sequence((0...random(0...2)).map { _ in step(depth - 1) })
            case 11: return .wrap(step(depth - 1))
            case 12, 13: return .swallow(step(depth - 1), random(0...(Self.posterCount - 1)))
            case 14: return .task(random(0...9), step(depth - 1))
            case 15:
                switch random(0...4) {
                case 0: return .jump(random(-40...40))
                case 1, 2: return .jump(random(0...9))
                default: return .set(random(0...(Self.circuits - 1)), isIsolated: random(0...4) == 0)
                }
            default: return .call(random(0...9))
            }
        }
        for number in 0..<random(6...30) { steps.append(.swallow(.task(100 + number, step(6)), random(0...4))) }
    }

    /// Decides the events of a program from how often each event occurred before.
    struct Fate {
        private let seed: UInt64
        private var counts: [String: Int] = [:]

        init(_ program: RandomProgram) { seed = program.seed }

        /// Returns a number below a bound, which depends on how often the same call was made before.
        mutating func next(_ what: String, below bound: UInt64) -> (fate: UInt64, number: Int) {
            let number = counts[what, default: 0]
            counts[what] = number + 1
            var hash: UInt64 = 14_695_981_039_346_656_037
            for byte in "\(seed) \(what) \(number)".utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
            var generator = SplitMix64(seed: hash)
            return (generator.next() % bound, number)
        }
    }
}

/// An error of a random program, as the model represents it.
enum PlainError: Hashable {
    case timeout, url, app, cocoa, refused, cancellation
    /// An error with a hint in minutes.
    case busy(Int)
    case open(circuit: Int, left: Int?)
    indirect case wrapped(PlainError)

    /// The error that a call throws; nil for success.
    static func thrown(_ fate: UInt64) -> (error: PlainError, isBoxed: Bool)? {
        let isBoxed = fate & 1 == 1
        switch fate / 2 {
        case 0, 1, 2: return (.timeout, isBoxed)
        case 3, 4: return (.url, isBoxed)
        case 5: return (.app, isBoxed)
        case 6: return (.cocoa, isBoxed)
        case 7: return (.refused, isBoxed)
        case 8: return (.cancellation, isBoxed)
        case 9: return (.busy(-1), isBoxed)
        case 10: return (.busy(3), isBoxed)
        case 11: return (.busy(100), isBoxed)
        default: return nil
        }
    }

    static let fates: UInt64 = 2 * 20

    /// The same value as an error.
    var error: any Error {
        switch self {
        case .timeout: Timeout()
        case .url: URLError(.timedOut)
        case .app: NSError(domain: "app", code: 7)
        case .cocoa: CocoaError(.fileNoSuchFile)
        case .refused: Refused()
        case .cancellation: CancellationError()
        case .busy(let minutes): Busy(retryAfter: .minutes(minutes))
        case .open(let circuit, let left):
            CircuitOpen(name: "\(circuit)", retryAfter: left.map { .minutes($0) }, cause: Timeout())
        case .wrapped(let inner): Wrapped(cause: inner.error)
        }
    }

    /// Creates the model's value for an error of the library.
    init(_ error: any Error) {
        switch ErrorMatcher.any.match(error) ?? error {
        case is Timeout: self = .timeout
        case is URLError: self = .url
        // On Linux, `is CocoaError` is true for every `NSError` object.
        case let error where type(of: error) == CocoaError.self: self = .cocoa
        case is Refused: self = .refused
        case is CancellationError: self = .cancellation
        case let error as Busy: self = .busy(Int((error.retryAfter ?? .zero) / .minutes(1)))
        case let error as CircuitOpen:
            self = .open(circuit: Int(error.name) ?? -1, left: error.retryAfter.map { Int($0 / .minutes(1)) })
        case let error as Wrapped: self = .wrapped(PlainError(error.cause))
        default: self = .app
        }
    }

    /// The error at the end of the chain.
    var innermost: PlainError { if case .wrapped(let inner) = self { inner.innermost } else { self } }

    /// The cost of a retry; nil if it isn't retried.
    func cost(retriesRefusals: Bool) -> Int? {
        switch innermost {
        case .timeout, .app, .busy: 1
        case .url: 2
        case .open: retriesRefusals ? 1 : nil
        case .cocoa, .refused, .cancellation, .wrapped: nil
        }
    }

    var counts: Bool {
        switch innermost {
        case .timeout, .url, .busy: true
        case .app, .cocoa, .refused, .cancellation, .open, .wrapped: false
        }
    }

    var isRefusal: Bool { if case .open = innermost { true } else { false } }

    /// The error's own hint, in minutes.
    var hint: Int? {
        switch self {
        case .busy(let minutes): minutes
        case .open(_, let left): left
        default: nil
        }
    }

    /// An error that wraps the actual error, as a client's error does.
    struct Wrapped: Error { let cause: any Error }
}

extension Duration {
    static func minutes(_ minutes: Int) -> Duration { .seconds(60 * minutes) }
}
