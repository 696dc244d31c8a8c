import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import ErrorRoutingTesting

@Suite("A post without a bus, from a thread that belongs to no test, fails the run", .hangLimit)
struct ForeignPostsTests {}

extension ForeignPostsTests {
    private static let postingLine = #line + 5

    private static func postFromThread() async {
        let gate = Gate()
        Thread.detachNewThread {
            postError(Lost(), metadata: ["card": "7"])
            gate.open()
        }
        await gate.wait()
    }

    @Test("such a post fails the run at the posting line with the error's name", .showsFailures)
    func foreignThread() async {
        let found = Locked<[Issue]>([])
        await withKnownIssue {
            await #expect(processExitsWith: .success) {
                alarm(120)
                await failingOnUnexpectedErrors { await Self.postFromThread() }
            }
        } matching: { issue in
            found.withLock { $0.append(issue) }
            return true
        }
        let issues = found.withLock { $0 }
        expect(issues.map(\.sourceLocation?.line), equals: [Self.postingLine])
        let text = issues.first?.comments.map(\.rawValue).joined() ?? ""
        #expect(text.contains("by a thread or task that belongs to no test"))
        #expect(text.contains("ErrorRoutingTestingTests.Lost"))
        #expect(text.contains("message=\"Lost()\"") && text.contains("metadata.card=\"7\""))
    }

    @Test(
        "two concurrent tests with root buses keep their errors separate, and a thread posts to the newest root")
    func twoRoots() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            func main(_ code: Int, _ body: @Sendable (ErrorBus) async -> Void) async {
                let posted = await withErrorBus(handler: ErrorHandler(), asRoot: true) { bus in
                    let reports = bus.reports(bufferingNewest: .max)
                    postError(Declined(code: code))
                    await body(bus)
                    return reports
                }
                var codes: [Int?] = []
                for await report in posted { codes.append((report.error as? Declined)?.code) }
                expect(codes, equals: code == 1 ? [1] : [2, nil])
            }
            let (isRoot, isDone) = (Gate(), Gate())
            async let first: Void = main(1) { _ in
                isRoot.open()
                await isDone.wait()
            }
            await isRoot.wait()
            await main(2) { _ in await Self.postFromThread() }
            isDone.open()
            await first
        }
    }

    @Test("an error in a test without the trait doesn't fail anything")
    func withoutTrait() {
        ForeignPosts.watch()
        postError(Lost())
    }

    @Test("a source that isn't a valid location does no harm")
    func place() {
        expect(SourceLocation(.init(fileID: "", line: 0)).fileID, equals: "unknown/file")
        expect(SourceLocation(.init(fileID: "M/F.swift", line: .max)).line, equals: 1)
    }
}
