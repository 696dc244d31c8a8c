import ErrorRecovery
import ErrorRouting
import Foundation
import TestSupport

/// A random program of retries in retries, circuits, tasks, posts and clocks that jump.
///
/// What it meets (whether a call fails, whether a task is cancelled during a delay) depends on its seed and on how
/// often that was met before, so that the library and a plain model of it meet the same.
struct RandomProgram {
    indirect enum Step: Sendable {
        /// Calls the dependency.
        case call(Int)
        case retry(Int, Step)
        case circuit(Int, Step)
        case sequence([Step])
        /// Wraps what is thrown in an error of another type.
        case wrap(Step)
        /// Swallows what is thrown, and posts it at a place.
        case swallow(Step, Int)
        /// Runs in a task of its own, which may be cancelled before it begins.
        case task(Int, Step)
        /// Moves the clock by so many minutes.
        case jump(Int)
        /// Opens a circuit by hand, or closes it.
        case set(Int, isOpen: Bool)
    }

    /// A retry policy, in minutes.
    struct Policy {
        let maxAttempts: Int
        let delay: Int
        let deadline: Int?
        let budget: Int?
        let retriesRefusals: Bool
        /// Where attempts are posted; nil for nowhere.
        let place: Int?
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
        let pause: Int
    }

    /// The places to post to: the bus A, a scope of it, a scope of that, the bus B, and a scope of that.
    static let places = 5
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
                    place: random(0...1) == 0 ? random(0...(Self.places - 1)) : nil))
        }
        for _ in 0..<Self.circuits {
            circuits.append(
                Circuit(tenths: random(1...10), minimum: random(1...2), window: random(1...30), pause: random(0...8)))
        }
        func step(_ depth: Int) -> Step {
            let kind = depth == 0 ? 0 : random(0...15)
            switch kind {
            case 4, 5, 6: return .retry(random(0...3), step(depth - 1))
            case 3, 7, 8, 9: return .circuit(random(0...(Self.circuits - 1)), step(depth - 1))
            case 10: return .sequence((0...random(0...2)).map { _ in step(depth - 1) })
            case 11: return .wrap(step(depth - 1))
            case 12, 13: return .swallow(step(depth - 1), random(0...(Self.places - 1)))
            case 14: return .task(random(0...9), step(depth - 1))
            case 15:
                switch random(0...4) {
                case 0: return .jump(random(-40...40))
                case 1, 2: return .jump(random(0...9))
                default: return .set(random(0...(Self.circuits - 1)), isOpen: random(0...1) == 0)
                }
            default: return .call(random(0...9))
            }
        }
        for number in 0..<random(6...30) { steps.append(.swallow(.task(100 + number, step(6)), random(0...4))) }
    }

    /// What a program meets, by how often it met the same before.
    struct Fate {
        private let seed: UInt64
        private var counts: [String: Int] = [:]

        init(_ program: RandomProgram) { seed = program.seed }

        /// Returns a number below a bound, and how often the same was asked before.
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

/// An error of a random program, in the plain words of the model.
enum PlainError: Hashable {
    case timeout, url, app, cocoa, refused, cancellation
    /// Asks to wait for so many minutes.
    case busy(Int)
    case open(circuit: Int, left: Int?)
    indirect case wrapped(PlainError)

    /// What a call throws; nil for its success.
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

    /// The same as an error.
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

    /// What the library is to take an error for.
    init(_ error: any Error) {
        switch ErrorMatcher.any.match(error) ?? error {
        case is Timeout: self = .timeout
        case is URLError: self = .url
        // On Linux, every `NSError` object `is CocoaError`.
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

    /// What a retry costs; nil if it is not retried.
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

    /// For how many minutes the error itself asks to wait.
    var hint: Int? {
        switch self {
        case .busy(let minutes): minutes
        case .open(_, let left): left
        default: nil
        }
    }

    /// An error of another type around the real one, as a client throws it.
    struct Wrapped: Error { let cause: any Error }
}

extension Duration {
    static func minutes(_ minutes: Int) -> Duration { .seconds(60 * minutes) }
}
