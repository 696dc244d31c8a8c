import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import ErrorRoutingTesting

@Suite("A post from a thread of no test, where there is no bus, fails the run")
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

    @Test("such a post fails the run, at the posting line and with the error's name", .showsFailures)
    func foreignThread() async {
        let found = Locked<[Issue]>([])
        await withKnownIssue {
            await #expect(processExitsWith: .success) {
                alarm(120)
                ForeignPosts.watch()
                await Self.postFromThread()
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
        #expect(text.contains("message=\"Lost(); card: 7\""))
    }

    @Test("what a test without the trait posts fails nothing")
    func withoutTrait() {
        ForeignPosts.watch()
        postError(Lost())
    }

    @Test("the place is read from the line, whatever the message says; a line without one or a wrong one does no harm")
    func place() {
        let places = [
            "failure type=T message=\"a source=x\" source=M/F.swift:12 reason=\"r\"": "M/F.swift:12",
            "failure type=T source=M/F.swift:3": "M/F.swift:3",
            "failure type=T message=\"m\" source=\"M/My File.swift:7\" reason=\"r\"": "M/My File.swift:7",
        ]
        for (line, place) in places { expect(ErrorReport.Source(inLine: line)?.description, equals: place) }
        expectNil(ErrorReport.Source(inLine: "no field"))
        expectNil(ErrorReport.Source(inLine: "error source=M/F.swift"))
        expect(SourceLocation(.init(fileID: "", line: 0), in: nil).fileID, equals: "unknown/file")
        expect(SourceLocation(.init(fileID: "M/F.swift", line: .max), in: nil).line, equals: 1)
    }
}
