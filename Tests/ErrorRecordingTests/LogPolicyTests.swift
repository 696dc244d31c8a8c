import TestSupport
import Testing

@testable import ErrorRecording

@Suite("E2: the decisions about the file are made by a plain value", .tags(.recording2), .hangLimit)
struct LogPolicyTests {
    private let policy = LogPolicy(fileSize: 100, fileCount: 3)
    private typealias Facts = LogPolicy.Facts
}

extension LogPolicyTests {
    @Test func `lines are written as long as they fit; then the file is rotated, if possible`() {
        expect(policy.step(Facts(size: 0), for: [40, 40, 40]), equals: .write(2))
        expect(policy.step(Facts(size: 80), for: [40]), equals: .rotate)
        expect(policy.step(Facts(size: 60), for: [40, 1]), equals: .write(1))
        expect(policy.step(Facts(size: 100), for: [1]), equals: .rotate)
        expect(policy.step(Facts(size: 5_000_000_000), for: [1]), equals: .rotate)
        // A line that exceeds the file size gets its own file.
        expect(policy.step(Facts(size: 0), for: [101, 1]), equals: .write(1))
        expect(policy.step(Facts(size: 1), for: [101, 1]), equals: .rotate)
        expect(LogPolicy(fileSize: 0, fileCount: 0).step(Facts(size: 0), for: [9]), equals: .write(1))
        expect(LogPolicy(fileSize: .max, fileCount: 1).step(Facts(size: 9), for: [9, 9]), equals: .write(2))
        // A file that can't be rotated grows.
        expect(policy.step(Facts(size: 99), for: [9, 9], mayRotate: false), equals: .write(2))
        // A file that isn't regular grows too, one line at a time.
        expect(policy.step(Facts(size: 99, isRegular: false), for: [9, 9]), equals: .write(1))
        // If another file has the name, it is opened before a broken line is terminated; both precede everything else.
        expect(policy.step(Facts(size: 99, endsWhole: false, isNamed: false), for: [9]), equals: .reopen)
        expect(policy.step(Facts(size: 99, endsWhole: false), for: [9]), equals: .endLine)
        // If that other file can't be opened, the open file grows. A deleted file isn't written to, unless the path
        // names a descriptor.
        expect(policy.step(Facts(size: 99, isNamed: false), for: [9, 9], mayReopen: false), equals: .write(2))
        let deleted = Facts(isNamed: false, isDeleted: true)
        expect(policy.step(deleted, for: [9]), equals: .reopen)
        expect(policy.step(deleted, for: [9], mayReopen: false), equals: .fail)
        expect(policy.step(Facts(isDeleted: true), for: [9, 9]), equals: .write(2))
    }

    @Test func `files are renamed only up to the first free number, so no failure deletes a file`() {
        func renamings(_ files: Set<Int>) -> [[Int]] {
            LogPolicy(fileSize: 1, fileCount: 4).renamings { files.contains($0) }.map { [$0.from, $0.to] }
        }
        expect(renamings([]), equals: [[0, 1]])
        expect(renamings([1]), equals: [[1, 2], [0, 1]])
        expect(renamings([2, 3]), equals: [[0, 1]])
        expect(renamings([1, 3]), equals: [[1, 2], [0, 1]])
        expect(renamings([1, 2, 3]), equals: [[2, 3], [1, 2], [0, 1]])
        #expect(LogPolicy(fileSize: 1, fileCount: 1).renamings { _ in true }.isEmpty)
    }

    @Test func `if the file count is reduced, surplus files are deleted if their numbers have at most three digits`() {
        for (count, surplus) in [(0, 1...999), (1, 1...999), (5, 5...999), (999, 999...999), (5_000, 5_000...5_000)] {
            expect(LogPolicy(fileSize: 1, fileCount: count).surplus, equals: surplus)
        }
    }
}
