import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("A map turns what a level throws into that level's error", .hangLimit)
struct ErrorMapThrowingTests {}

extension ErrorMapThrowingTests {
    private enum Checkout: CancellationConvertible, Equatable {
        case declined(Int), cancelled, offline, unavailable

        var isCancellation: Bool { self == .cancelled }
    }

    private static let level = ErrorMap(default: Checkout.unavailable)
        .on(matching: .cancellation, .cancelled)
        .on(domain: NSURLErrorDomain, .offline)
        .on(Zoo.Payment.self) { error in
            if case .declined(let code) = error { .declined(code) } else { .unavailable }
        }

    /// The error as the compiler sees it: typed.
    private func thrown(by operation: () async throws -> Int) async -> Checkout? {
        do throws(Checkout) {
            _ = try await Self.level.throwing(operation)
            return nil
        } catch {
            return error
        }
    }

    private func thrownNow(_ level: ErrorMap<Checkout> = level, by operation: () throws -> Int) -> Checkout? {
        do throws(Checkout) {
            _ = try level.throwing(operation)
            return nil
        } catch {
            return error
        }
    }

    @Test("what succeeds is returned, at once and after a suspension")
    func success() async throws {
        expect(try Self.level.throwing { 1 }, equals: 1)
        let value = try await Self.level.throwing {
            await Task.yield()
            return 2
        }
        expect(value, equals: 2)
    }

    @Test("each error becomes what the rules say, the rest the default")
    func rules() async {
        expect(await thrown { throw Zoo.Payment.declined(code: 51) }, equals: .declined(51))
        expect(await thrown { throw URLError(.notConnectedToInternet) }, equals: .offline)
        expect(await thrown { throw Zoo.Offline() }, equals: .unavailable)
        expect(thrownNow { throw Zoo.Payment.declined(code: 7) }, equals: .declined(7))
    }

    @Test("a cancellation passes where a rule says so, and is one for who asks")
    func cancellation() async {
        let error = await Task {
            await thrown {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try await Task.sleep(for: .seconds(1_000))
                return 1
            }
        }.value
        expect(error, equals: .cancelled)
        expect(error.map { ErrorMatcher.cancellation ~= $0 }, equals: true)
    }

    @Test("an error of this level that no rule matches is thrown as it is, also boxed again; a rule goes before that")
    func ownLevel() async {
        expect(await thrown { throw Checkout.declined(3) }, equals: .declined(3))
        let boxed = await thrown { try await withCheckedThrowingContinuation { $0.resume(throwing: Checkout.offline) } }
        expect(boxed, equals: .offline)
        let strict = Self.level.on(Checkout.self, .unavailable)
        expect(thrownNow(strict) { throw Checkout.offline }, equals: .unavailable)
    }

    @MainActor
    @Test("the operation keeps the caller's isolation, and may change what only the caller may")
    func isolation() async throws {
        var count = 0
        try await Self.level.throwing {
            count += 1
            await Task.yield()
            MainActor.preconditionIsolated()
            count += 1
        }
        expect(count, equals: 2)
    }
}
