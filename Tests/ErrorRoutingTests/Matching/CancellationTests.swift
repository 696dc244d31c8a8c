import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// Somebody's own kind of cancellation, as in a client library: one case of many.
private enum TransferError: CancellationConvertible {
    case cancelled, refused

    var isCancellation: Bool { self == .cancelled }
}

@Suite("Behaviour 17: a cancellation is matched, ignored and not posted", .tags(.behaviour17), .hangLimit)
struct CancellationTests {}

extension CancellationTests {
    @Test("the matcher matches CancellationError and what says that it is one, whatever task asks")
    func matcher() {
        let matcher = ErrorMatcher.cancellation
        #expect(matcher.match(CancellationError()) is CancellationError)
        expect(matcher.match(TransferError.cancelled) as? TransferError, equals: .cancelled)
        expectNil(matcher.match(TransferError.refused))
        expectNil(matcher.match(URLError(.cancelled)))
        expectNil(matcher.match(Zoo.Offline()))
        expect("\(matcher)", equals: "cancellation")
    }

    @Test("the default preset ignores it; a rule on top still gets it")
    func preset() async {
        expect(await ErrorHandler.standardError.handle(TransferError.cancelled).disposition, equals: .ignored)
        expect(await ErrorHandler.standardError.handle(CancellationError()).disposition, equals: .ignored)
        let handler = ErrorHandler.standardError.on(TransferError.self) { _ in .stop }
        expect(await handler.handle(TransferError.cancelled).disposition, equals: .handled)
    }

    @Test("catching, rethrowing and task do not post it, but what is no cancellation of the same type")
    func notPosted() async {
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
        expect(recorded.errors.map { $0 as? TransferError }, equals: Array(repeating: .refused, count: 4))
    }

    @Test("a transfer's cancellation is not posted in a cancelled task, and is in any other")
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
