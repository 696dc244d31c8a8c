import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviour 25: standard error holds up neither posters nor workers nor a shutdown", .tags(.behaviour25), .hangLimit)
struct StandardErrorTests {
    private static let padding = String(repeating: "x", count: 80)

    @Test("a post after finish returns although nobody reads")
    func postAfterFinish() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            _ = stage.fill()
            let bus = ErrorBus(handler: ErrorHandler())
            bus.finish()
            for number in 0..<100 { bus.post(Numbered(number)) }
            #expect(bus.statistics.dropped == 100)
            #expect(stage.lines(100).allSatisfy { $0.contains("the bus has finished") })
        }
    }

    @Test("an error that is posted where there is no bus returns although nobody reads")
    func postWithoutBus() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            _ = stage.fill()
            for number in 0..<100 { postError(Numbered(number)) }
            let lines = stage.lines(100)
            for number in 0..<100 { #expect(lines[number].contains("Numbered(number: \(number))")) }
        }
    }

    @Test("a shutdown returns what is left, and writes failures, although nobody reads")
    func shutdown() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            _ = stage.fill()
            let (entered, gate, returned) = (Gate(), Gate(), Gate())
            let handler = ErrorHandler.standardError
                .on(Numbered(11)) { _ in
                    entered.open()
                    await gate.wait()
                    returned.open()
                    return .stop
                }
                .on(Numbered(11)) { _ in throw Numbered(0) }
            let bus = ErrorBus(handler: handler)
            let running = Task { await bus.run() }
            for number in 1...13 { bus.post(Numbered(number)) }
            // The worker wrote ten lines to a pipe that takes none, and went on.
            await entered.wait()
            let left = await bus.shutdown(within: .zero)
            #expect(left.map { $0.error as? Numbered } == [Numbered(11), Numbered(12), Numbered(13)])
            await running.value
            let lines = stage.lines(11)
            #expect(lines.count == 11)
            #expect(lines.last?.contains("type=ErrorRouting.ActionFailure") == true)
            // What the abandoned worker holds is found by a search for leaks, unless it has gone home.
            gate.open()
            await returned.wait()
            for _ in 0..<100 { await Task.yield() }
        }
    }

    @Test("threads that write at once write whole lines, each its own in order, to whatever file")
    func threads() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stages = [StandardErrorStage.pipe(), .namedPipe(), .socket(), .terminal()]
            for stage in stages {
                dup2(stage.shared, STDERR_FILENO)
                async let written: Void = onThreads(8) { thread in
                    for number in 0..<500 { StandardError.write("\(thread) \(number) \(Self.padding)") }
                }
                let lines = stage.lines(4_000)
                await written
                #expect(lines.count == 4_000)
                for thread in 0..<8 {
                    let numbers = lines.filter { $0.hasPrefix("\(thread) ") }.map { $0.split(separator: " ")[1] }
                    #expect(numbers == (0..<500).map { "\($0)" })
                }
                #expect(lines.allSatisfy { $0.hasSuffix(" " + Self.padding) })
            }
        }
    }

    @Test("threads that write at once to a file write whole lines, each its own in order")
    func threadsToFile() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            dup2(unsafe open(path, O_CREAT | O_WRONLY, 0o600), STDERR_FILENO)
            await onThreads(4) { thread in
                for number in 0..<2_000 { StandardError.write("\(thread) \(number)") }
            }
            // The last writer may be the thread.
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
