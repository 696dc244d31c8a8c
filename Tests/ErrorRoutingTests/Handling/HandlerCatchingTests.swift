import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// `ErrorHandler.catching`, asynchronous and synchronous.
@Suite("A handler's catching handles what is thrown, and returns nil")
struct HandlerCatchingTests {
    let trace = ActionTrace()

    private var handler: ErrorHandler {
        ErrorHandler().on(matching: .any) { error, report in trace("\(error) at \(report.source)", .stop) }
    }

    private func value<T: Sendable>(_ value: T) async throws -> T {
        await Task.yield()
        return value
    }

    private func fail<T>(_: T.Type = T.self) async throws -> T {
        await Task.yield()
        throw Zoo.Payment.expired
    }

    private func fail(with error: any Error) async throws {
        await Task.yield()
        throw error
    }

    private func failNow<T>(_: T.Type = T.self) throws -> T { throw Zoo.Payment.expired }

    @Test("what the operation returns is returned, and nothing is handled")
    func returns() async {
        let one = await handler.catching { try await value(1) }
        #expect(one == 1)
        #expect(handler.catching { 2 } == 2)
        #expect(trace.entries.isEmpty)
    }

    @Test("what the operation throws is handled when nil is returned, as coming from the line of catching")
    func throwsAndHandles() async {
        let one = await handler.catching { try await fail(Int.self) }
        let line = #line - 1
        #expect(one == nil)
        #expect(trace.takeAll() == ["expired at \(#fileID):\(line)"])
        let two = handler.catching { try failNow(Int.self) }
        #expect(two == nil)
        #expect(trace.takeAll() == ["expired at \(#fileID):\(line + 4)"])
    }

    @Test("an operation that returns an optional returns the same optional, not an optional of it")
    func optionals() async throws {
        let handler = handler
        let some = await handler.catching { try await value(Int?.some(1)) }
        let none = await handler.catching { try await value(Int?.none) }
        let failed = await handler.catching { try await fail(Int?.self) }
        #expect(staticType(some) == Int?.self)
        #expect(some == 1)
        #expect(none == nil)
        #expect(failed == nil)
        let someNow = handler.catching { Int?.some(2) }
        let failedNow = handler.catching { try failNow(Int?.self) }
        #expect(staticType(someNow) == Int?.self)
        #expect(someNow == 2)
        #expect(failedNow == nil)
        #expect(trace.entries.count == 2)
    }

    @Test("an operation that returns nothing needs no use of the result")
    func void() async {
        await handler.catching { try await fail(Void.self) }
        handler.catching { try failNow(Void.self) }
        handler.catching { _ = trace("done") }
        #expect(trace.entries.map { $0.prefix(7) } == ["expired", "expired", "done"])
    }

    @Test("CancellationError is handled like any other error")
    func cancellation() async {
        await handler.catching { try await fail(with: CancellationError()) }
        handler.catching { throw CancellationError() }
        #expect(trace.entries.count == 2)
    }

    @Test("an operation that awaits nothing takes the synchronous twin, in asynchronous functions too")
    func synchronousTwinIsPreferred() async {
        // Compiles without `await`, and with warnings as errors it would not compile with one.
        handler.catching { try failNow(Void.self) }
        #expect(trace.entries.count == 1)
    }

    @Test("the synchronous twin handles at once where no rule has to suspend")
    func synchronousTwinAtOnce() {
        let handler = handler.on(Zoo.Timeout.self) { _ in
            await Task.yield()
            return trace("asynchronous")
        }
        #expect(handler.catching { try failNow(Int.self) } == nil)
        #expect(trace.entries.count == 1)
    }

    @Test("the synchronous twin does not wait for an asynchronous rule, which runs soon after")
    func synchronousTwinSoon() async {
        let (returned, handled) = (Gate(), Gate())
        let handler = ErrorHandler().on(Zoo.Payment.self) { error, report in
            await returned.wait()
            _ = trace("\(error) at \(report.source)")
            handled.open()
            return .stop
        }
        let result = handler.catching { try failNow(Int.self) }
        let line = #line - 1
        #expect(result == nil)
        #expect(trace.entries.isEmpty)
        returned.open()
        await handled.wait()
        #expect(trace.entries == ["expired at \(#fileID):\(line)"])
    }

    @MainActor
    @Test("the operation keeps the caller's isolation, and may change what only the caller may")
    func isolation() async {
        var count = 0
        await handler.catching {
            count += 1
            await Task.yield()
            MainActor.preconditionIsolated()
            count += 1
        }
        #expect(count == 2)
    }

    @Test("actions that fail under catching are written to standard error")
    func failures() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let handler = ErrorHandler().on(matching: .any) { _ in throw Zoo.Timeout(seconds: 5) }
            await handler.catching {
                await Task.yield()
                throw Zoo.Payment.expired
            }
            handler.catching { throw Zoo.Payment.unavailable }
        }
        let lines = String(decoding: try #require(result).standardErrorContent, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2)
        for (line, error) in zip(lines, ["Payment.expired", "Payment.unavailable"]) {
            #expect(line.hasPrefix("error type=ErrorRouting.ActionFailure message=\"the action of any at "))
            #expect(line.contains("failed with Timeout(seconds: 5) while handling \(error)\""))
        }
    }
}

/// The type that the compiler gives an expression.
private func staticType<T>(_: T) -> T.Type { T.self }
