import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("An error's own metadata is in its report, wherever the report is created", .hangLimit)
struct ErrorMetadataTests {}

private struct CallFailed: ErrorMetadataProviding {
    static let errorMetadataKeys: Set = ["host", "path", "status"]
    let errorMetadata: [String: String]
}

private struct OrderFailed: UnderlyingErrorsProviding {
    let underlyingErrors: [any Error]
}

/// An error that contains itself as its underlying error.
private struct Endless: UnderlyingErrorsProviding {
    var underlyingErrors: [any Error] { [self] }
}

extension ErrorMetadataTests {
    private static let error = CallFailed(errorMetadata: ["host": "pay", "path": "/charges"])

    @Test("it joins the metadata of scopes and the caller, in delivered reports, in the last resort, and in tests")
    func joined() async {
        let written = Locked<[ErrorReport]>([])
        let lastResort = LastResort(reports: { report, _ in written.withLock { $0.append(report) } })
        let recorded = await withRecordedErrors(configuration: .init(lastResort: lastResort)) { bus in
            bus.scope("pay", metadata: ["order": "17"]).post(Self.error, metadata: ["try": "2"])
            bus.post(Numbered(1), metadata: ["try": "2"])
        }
        let joined = ["host": "pay", "path": "/charges", "order": "17", "try": "2"]
        expect(recorded.reports.map(\.metadata), equals: [joined, ["try": "2"]])
        let finished = ErrorBus(handler: ErrorHandler(), configuration: .init(lastResort: lastResort))
        finished.finish()
        finished.post(Self.error)
        expect(written.withLock { $0.map(\.metadata) }, equals: [Self.error.errorMetadata])
        expect(ErrorReport(error: Self.error, source: .init()).metadata, equals: Self.error.errorMetadata)
        #expect("\(finished.report(of: Self.error))".contains("metadata.host=\"pay\""))
    }

    @Test("if one of its keys is already used, even a key that it doesn't have now, all of its keys have a prefix")
    func taken() {
        func metadata(_ given: [String: String]) -> [String: String] {
            ErrorReport(error: Self.error, source: .init(), metadata: given).metadata
        }
        let own = ["upstream.host": "pay", "upstream.path": "/charges"]
        for given in [["path": "/orders"], ["status": "500"], ["host": "pay", "path": "/orders"]] {
            expect(metadata(given), equals: given.merging(own) { $1 })
        }
        // If an error is posted again with its report's metadata, the metadata isn't added twice.
        for given in [[:], ["path": "/orders"]] {
            let once = metadata(given)
            expect(metadata(once), equals: once)
        }
    }

    @Test("an error shows the metadata of the error that it wraps, down to a limit, and an action's failure keeps it")
    func wrapped() async {
        func metadata(_ error: any Error) -> [String: String] { ErrorReport(error: error, source: .init()).metadata }
        var error: any Error = Self.error
        for _ in 0..<4 {
            error = OrderFailed(underlyingErrors: [error, Numbered(1)])
            expect(metadata(error), equals: Self.error.errorMetadata)
        }
        expect(metadata(OrderFailed(underlyingErrors: [error])), equals: [:])
        for error: any Error in [OrderFailed(underlyingErrors: []), Endless(), Numbered(1)] {
            expect(metadata(error), equals: [:])
        }
        let failing = ErrorHandler().on(CallFailed.self) { _ in throw Numbered(2) }
        let recorded = await withRecordedErrors(handler: failing) { bus in bus.post(Self.error) }
        expect(recorded.reports.last?.error is ActionFailure, equals: true)
        expect(recorded.reports.map(\.metadata), equals: [Self.error.errorMetadata, Self.error.errorMetadata])
    }
}
