import ErrorRouting
import Foundation
import Testing

/// The ways to put an error into a box, or into a box in a box.
enum Boxing: CaseIterable {
    case asItIs, continuation, throwingStream, typedThrows, threeTimes

    func callAsFunction(_ error: any Error) async -> any Error {
        do {
            switch self {
            case .asItIs: return error
            case .continuation:
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    continuation.resume(throwing: error)
                }
            case .throwingStream:
                let stream = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: error) }
                for try await _ in stream {}
            case .typedThrows: try Self.run { throw error }
            case .threeTimes: return Self.twice(Self.twice(Self.twice(error)))
            }
        } catch {
            return error
        }
        return error
    }

    private static func run<F: Error>(_ body: () throws(F) -> Void) throws(F) {
        do { try body() } catch { throw error }
    }

    /// Whether an error is in more than one box, which a client can find out only by opening the box.
    static func isBoxed(_ error: any Error) -> Bool {
        func isBox<Content: Error>(_ content: Content) -> Bool { Content.self == (any Error).self }
        return _openExistential(error, do: isBox)
    }

    /// The error in a box within a box.
    static func twice(_ error: any Error) -> any Error {
        // A function value boxes the box itself; a direct call would open it first.
        let boxing: (any Error) -> any Error = boxed
        return boxing(error)
    }

    private static func boxed<F: Error>(_ error: F) -> any Error { error }
}

/// A mark for each specimen, which rules can match by a protocol.
protocol Marked: Sendable {
    var mark: String { get }
}

/// Errors of every shape that a box can hold.
enum BoxedErrors {
    /// An error of one byte.
    enum Light: Error, Hashable, Marked {
        case red, green
        var mark: String { self == .red ? "red" : "green" }
    }

    /// An error of one word.
    struct Coded: Error, Hashable, Marked {
        var code = 7
        var mark: String { "code \(code)" }
    }

    /// An error that is wider than the space in an existential, and that retains an object.
    struct Wide: Error, Hashable, Marked {
        var text = String(repeating: "long enough to be on the heap ", count: 2)
        var numbers = (0..<4).map { $0 }
        var code = 9
        var mark: String { "\(text)\(numbers)\(code)" }
    }

    class Ticket: Error, Hashable, Marked, @unchecked Sendable {
        // Immutable, so safe to share.
        let number: Int
        init(_ number: Int) { self.number = number }
        var mark: String { "ticket \(number)" }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
        static func == (one: Ticket, other: Ticket) -> Bool { one.number == other.number }
    }

    final class LateTicket: Ticket, @unchecked Sendable {
        override var mark: String { "late \(number)" }
    }
}

extension NSError: Marked {
    var mark: String { "\(domain) \(code)" }
}

extension URLError: Marked {
    var mark: String { "url \(code.rawValue)" }
}

/// An error that wraps a boxed error or has it in a field.
struct BoxHolder: Error {
    var inner: any Error
}

/// One error, with a handler for each feature that can read it.
///
/// Each handler notes the mark that it finds.
struct BoxedErrorSpecimen: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: any Error
    let mark: String
    let matching: @Sendable (Journal<String>) -> [(feature: String, handler: ErrorHandler)]
    let map: ErrorMap<String>

    init<E: Error & Equatable & Marked>(_ name: String, _ error: E) {
        testDescription = name
        self.error = error
        mark = error.mark
        let bridged = error as NSError
        let (domain, code, mark) = (bridged.domain, bridged.code, mark)
        map = ErrorMap(default: "none").on(E.self) { $0.mark }
        matching = { journal in
            let note: @Sendable (String) -> HandleStrategy = { text in
                journal.note(text)
                return .stop
            }
            var handlers: [(feature: String, handler: ErrorHandler)] = []
            // Use one statement each: a single statement takes longer to compile than the rest of the file.
            func add(_ feature: String, _ handler: ErrorHandler) { handlers.append((feature, handler)) }
            let none = ErrorHandler()
            add("type", none.on(E.self) { note($0.mark) })
            add("value", none.on(error) { note($0.mark) })
            add("where", none.on(matching: .type(E.self).where { $0.mark == mark }) { note($0.mark) })
            add("extracting", none.on(matching: .extracting(E.self) { $0.mark }) { note($0) })
            add("conforming", none.on(matching: .conforming(to: (any Marked).self)) { note($0.mark) })
            add("anywhere", none.on(matching: .anywhere(.type(E.self))) { note($0.mark) })
            add("domain", none.on(domain: domain, code: code) { _ in note(mark) })
            add("report", none.on(E.self) { note(Boxing.isBoxed($1.error) ? "boxed" : $0.mark) })
            let asynchronous = none.on(E.self) { error async in
                await Task.yield()
                return note(error.mark)
            }
            add("async", asynchronous)
            add("always", none.always { note(($0 as? E)?.mark ?? "none") })
            return handlers
        }
    }

    static let all = [
        BoxedErrorSpecimen("a 1-byte enum", BoxedErrors.Light.green),
        BoxedErrorSpecimen("a one-word struct", BoxedErrors.Coded()),
        BoxedErrorSpecimen("a wide struct", BoxedErrors.Wide()),
        BoxedErrorSpecimen("a class", BoxedErrors.Ticket(3)),
        BoxedErrorSpecimen("a subclass, as its superclass", BoxedErrors.LateTicket(4) as BoxedErrors.Ticket),
        BoxedErrorSpecimen("an NSError", NSError(domain: "boxed", code: 11)),
        BoxedErrorSpecimen("a URLError", URLError(.timedOut)),
    ]
}
