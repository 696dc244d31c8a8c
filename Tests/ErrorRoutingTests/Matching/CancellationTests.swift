import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// A client library's own cancellation: one case among many.
private enum TransferError: CancellationConvertible {
    case cancelled, refused

    var isCancellation: Bool { self == .cancelled }
}

@Suite("Promise 17: a cancellation is matched, ignored, and not posted", .tags(.promise17), .hangLimit)
struct CancellationTests {}

extension CancellationTests {
    @Test("the matcher matches CancellationError, and errors that declare themselves cancellations, in any task")
    func matcher() {
        let matcher = ErrorMatcher.cancellation
        #expect(matcher.match(CancellationError()) is CancellationError)
        expect(matcher.match(TransferError.cancelled) as? TransferError, equals: .cancelled)
        expectNil(matcher.match(TransferError.refused))
        expectNil(matcher.match(URLError(.cancelled)))
        expectNil(matcher.match(Zoo.Offline()))
        expect("\(matcher)", equals: "cancellation")
    }

    @Test("the default preset ignores it; a rule on top still receives it")
    func preset() async {
        expect(await ErrorHandler.standardError.handle(TransferError.cancelled).disposition, equals: .ignored)
        expect(await ErrorHandler.standardError.handle(CancellationError()).disposition, equals: .ignored)
        let handler = ErrorHandler.standardError.on(TransferError.self) { _ in .stop }
        expect(await handler.handle(TransferError.cancelled).disposition, equals: .handled)
    }

    @Test("catching, rethrowing and task post it as a notice if the task wasn't cancelled, and otherwise not at all")
    func noticed() async {
        let recorded = await withRecordedErrors { bus in
            for error in [TransferError.cancelled, .refused] {
                bus.catching { throw error }
                await bus.catching {
                    await Task.yield()
                    throw error
                }
                #expect(throws: error) { try bus.rethrowing { throw error } }
                await bus.task { throw error }.value
            }
        }
        expect(
            recorded.errors.map { $0 as? TransferError },
            equals: Array(repeating: .cancelled, count: 4) + Array(repeating: .refused, count: 4))
        let roles: [ErrorReport.Role] = Array(repeating: .notice, count: 4) + Array(repeating: .failure, count: 4)
        expect(recorded.reports.map(\.role), equals: roles)

        let inCancelled = await withRecordedErrors { bus in
            await Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                Self.throwAll(to: bus)
            }.value
        }
        expect(inCancelled.errors.map { $0 as? TransferError }, equals: [.refused, .refused])
        expect(inCancelled.reports.map(\.role), equals: [.failure, .failure])
    }

    private static func throwAll(to bus: ErrorBus) {
        for error in [TransferError.cancelled, .refused] {
            bus.catching { throw error }
            #expect(throws: error) { try bus.rethrowing { throw error } }
        }
    }

    @Test("standardError ignores such a notice, and a flood limit merges it like a failure, unlike other notices")
    func noticesInAFlood() async {
        let clock = ManualClock()
        let configuration = ErrorBus.Configuration(floodLimit: FloodLimit(first: 1, per: .seconds(1)), clock: clock)
        let recorded = await withRecordedErrors(handler: .standardError, configuration: configuration) { bus in
            for _ in 0..<5 { bus.catching { throw CancellationError() } }
            for _ in 0..<5 { bus.post(TransferError.refused, as: .notice) }
        }
        let cancellations = recorded.reports.filter { $0.error is CancellationError }
        expect(cancellations.map(\.occurrences), equals: [1, 4])
        expect(cancellations.map(\.outcome.disposition), equals: [.ignored, .ignored])
        expect(recorded.reports.count, equals: 7)
        expect(recorded.statistics.suppressed, equals: 3)
    }

    @Test("the cancellation of a transfer is posted, but not in a cancelled task")
    func transfers() async {
        let bridged = NSError(domain: NSURLErrorDomain, code: URLError.cancelled.rawValue)
        let recorded = await withRecordedErrors { bus in
            for error in [URLError(.cancelled), bridged, URLError(.timedOut)] as [any Error] {
                await bus.task { throw error }.value
                let cancelled = Task {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    bus.catching { throw error }
                }
                await cancelled.value
            }
        }
        expect(recorded.errors.map { ($0 as NSError).code }, equals: [-999, -999, -1001, -1001])
    }
}
