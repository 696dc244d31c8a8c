import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("Each test waits for its turn", .hangLimit)
struct TurnTests {}

extension TurnTests {
    /// Without the trait, a test would run at the same time as all others and delay them.
    @Test("each suite has the trait that limits how many tests run at a time, and each test belongs to a suite")
    func traits() throws {
        let files = Markdown.files(below: "Tests", endingIn: ".swift").filter {
            // These are separate packages, whose tests run separately.
            !$0.hasPrefix("Ecosystem/") && !$0.hasPrefix("Interleavings/")
        }
        let sources = try files.map { ($0, try Markdown.text(of: "Tests/\($0)").components(separatedBy: "\n")) }
        var bounded: Set<String> = []
        for (_, lines) in sources {
            for index in lines.indices where lines[index].contains("@Suite") {
                guard let end = lines[index...].firstIndex(where: { name(declaredIn: $0) != nil }) else { continue }
                let attribute = lines[index...end].joined()
                guard attribute.contains(".hangLimit") || attribute.contains(".alone") else { continue }
                bounded.insert(name(declaredIn: lines[end]) ?? "")
            }
        }
        for (file, lines) in sources {
            var container = ""
            for line in lines {
                // A type within a suite can be a suite too.
                if let name = name(declaredIn: line), !line.hasPrefix(" ") || bounded.contains(name) {
                    container = name
                } else if line.contains("@Test") {
                    #expect(bounded.contains(container), "\(file): \(line)")
                }
            }
        }
    }

    @Test("no more bodies run than there are turns, a body that takes all turns runs alone, and every body runs")
    func turns() async {
        let turns = Turns(3)
        let running = Running()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let count = number.isMultiple(of: 10) ? 3 : 1
                group.addTask {
                    await turns.taking(count) {
                        running.change(by: count)
                        // Let other bodies run now if they have a turn: the largest number that do is checked.
                        for _ in 0..<20 { await Task.yield() }
                        running.change(by: -count)
                    }
                }
            }
        }
        let (now, most, changes) = running.counts.withLock { $0 }
        expect([now, most, changes], equals: [0, 3, 120])
        await #expect(throws: CancellationError.self) { try await turns.taking(3) { throw CancellationError() } }
        await turns.taking(3) {}
    }

    @Test("a wait for a condition that never holds fails the test with the awaited event, at the caller's line")
    func eventuallyFails() async {
        let line = #line + 2
        await withKnownIssue {
            await eventually("pigs fly", within: .milliseconds(1)) { false }
        } matching: { issue in
            issue.sourceLocation?.line == line
                && issue.comments.map(\.rawValue) == ["waited 0.001 seconds in vain until pigs fly"]
        }
        var checks = 0
        await eventually("the third check comes") {
            checks += 1
            return checks == 3
        }
        expect(checks, equals: 3)
    }

    private final class Running: Sendable {
        let counts = Locked((now: 0, most: 0, changes: 0))

        func change(by count: Int) {
            counts.withLock { $0 = ($0.now + count, max($0.most, $0.now + count), $0.changes + 1) }
        }
    }

    /// Returns the name of the type that a line declares or extends.
    private func name(declaredIn line: String) -> String? {
        guard line.hasSuffix("{") || line.hasSuffix("{}") else { return nil }
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return words.firstIndex { ["struct", "class", "enum", "actor", "extension"].contains($0) }.flatMap { keyword in
            words.dropFirst(keyword + 1).first.map(String.init)
        }
    }
}
