import Foundation
import TestSupport
import Testing

@testable import StandardErrorWriter

@Suite("Promise 25: lines are whole and in order, however many threads write", .tags(.promise25), .hangLimit)
struct StandardErrorThreadTests {}

extension StandardErrorThreadTests {
    private static let padding = String(repeating: "x", count: 80)

    @Test("concurrent threads write whole lines to any file, each its own lines in order")
    func threads() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stages = [StandardErrorStage.pipe(), .socket(), .terminal()]
            for stage in stages {
                dup2(stage.shared, STDERR_FILENO)
                async let written: Void = onThreads(16) { thread in
                    for number in 0..<250 { StandardError.write("\(thread) \(number) \(Self.padding)") }
                }
                let lines = stage.lines(4_000)
                await written
                #expect(lines.count == 4_000)
                for thread in 0..<16 {
                    let numbers = lines.filter { $0.hasPrefix("\(thread) ") }.map { $0.split(separator: " ")[1] }
                    #expect(numbers == (0..<250).map { "\($0)" })
                }
                #expect(lines.allSatisfy { $0.hasSuffix(" " + Self.padding) })
            }
        }
    }

    @Test("concurrent threads write whole lines to one file, each its own lines in order")
    func threadsToFile() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            dup2(unsafe open(path, O_CREAT | O_WRONLY, 0o600), STDERR_FILENO)
            await onThreads(4) { thread in
                for number in 0..<2_000 { StandardError.write("\(thread) \(number)") }
            }
            // The last writer might be the library's thread.
            StandardError.waitUntilWritten()
            let content = FileManager.default.contents(atPath: path) ?? Data()
            let lines = String(decoding: content, as: UTF8.self).nonemptyLines
            unsafe unlink(path)
            #expect(lines.count == 8_000)
            for thread in 0..<4 {
                let own = lines.filter { $0.hasPrefix("\(thread) ") }
                #expect(own == (0..<2_000).map { "\(thread) \($0)" })
            }
        }
    }
}
