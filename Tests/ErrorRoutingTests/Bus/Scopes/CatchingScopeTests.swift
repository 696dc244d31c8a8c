import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "A scope that catches posts what its body throws once, and makes a value of it",
    .tags(.behaviour17, .behaviour22), .hangLimit)
struct CatchingScopeTests {}

extension CatchingScopeTests {
    @Test func `what the body returns is returned, and nothing is posted`() async {
        let recorded = await withRecordedErrors { _ in
            let value = await withCatchingScope("request") { scope in
                expect(scope.path, equals: ["request"])
                return 1
            } recovering: { _ in
                2
            }
            expect(value, equals: 1)
        }
        #expect(recorded.reports.isEmpty)
    }

    @Test func `what the body throws is posted once, with scope, metadata and line, before something is made of it`()
        async
    {
        let line: UInt = #line + 3
        let recorded = await withRecordedErrors { bus in
            // The line of the call is what stands in the report.
            let value = await withCatchingScope("request", metadata: ["id": "7"]) { _ in
                await Task.yield()
                return try fail(4)
            } recovering: { error in
                expect(bus.statistics.posted, equals: 1)
                postError(Numbered(5))
                return (error as? Numbered)?.number
            }
            expect(value, equals: 4)
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [4, 5])
        expect(recorded.reports.map(\.scope), equals: [["request"], ["request"]])
        expect(recorded.reports.map(\.metadata), equals: [["id": "7"], ["id": "7"]])
        expect(recorded.reports.first?.source, equals: .init(line: line))
    }

    @Test func `its own rules go first, and outer scopes are around it`() async {
        let seen = Journal<String>()
        let root = ErrorHandler().on(Numbered.self) { error in
            seen.note("bus \(error.number)")
            return .stop
        }
        await withErrorBus(handler: root) { _ in
            await withErrorScope("outer") { _ in
                let rules = ErrorHandler().on(Numbered.self) { (error, report: ErrorReport) in
                    seen.note("\(report.scope.joined(separator: "/")) \(error.number)")
                    return .next
                }
                await withCatchingScope("inner", handler: rules) { _ in
                    throw Numbered(1)
                } recovering: { _ in
                }
            }
        }
        expect(seen.entries, equals: ["outer/inner 1", "bus 1"])
    }

    @Test func `a cancellation is not posted, and something is made of it all the same`() async {
        let recorded = await withRecordedErrors { _ in
            let value = await withCatchingScope("request") { _ in
                throw CancellationError()
            } recovering: { error in
                error is CancellationError
            }
            #expect(value)
        }
        #expect(recorded.reports.isEmpty)
    }

    @Test @MainActor func `both closures keep the caller's actor`() async {
        var steps: [Int] = []
        await withCatchingScope("request") { _ in
            MainActor.assertIsolated()
            steps.append(1)
            throw CancellationError()
        } recovering: { _ in
            MainActor.assertIsolated()
            steps.append(2)
        }
        expect(steps, equals: [1, 2])
    }

    private func fail(_ number: Int) throws -> Int? { throw Numbered(number) }
}
