import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P4: the options of a RecoverableError are performed", .tags(.presentation4), .hangLimit)
struct RecoveryTests {
    private let presenter = ErrorPresenter(rules: .alerts)
}

extension RecoveryTests {
    @Test("an option that recovers removes the error and runs the failed operation again")
    func recovers() async throws {
        let chosen = Locked<[Int]>([])
        var attempts = 0
        await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) {
            attempts += 1
            if attempts == 1 { throw Conflict(options: ["", "Keep mine", "Take theirs"], chosen: chosen) }
        }
        let seen = try #require(presenter.alert)
        expect(seen.recoveryOptions, equals: ["Keep mine", "Take theirs"])
        // A second tap has no effect.
        for _ in 0..<2 { await presenter.recover(seen, option: 1) }
        // An option keeps its position even if an earlier option has no label.
        expect(chosen.withLock { $0 }, equals: [2])
        expect(attempts, equals: 2)
        expectNil(presenter.alert)
    }

    @Test("if the option doesn't recover, the error stays, and another option can be chosen")
    func doesNotRecover() async throws {
        let chosen = Locked<[Int]>([])
        presenter.present(Conflict(options: ["no", "yes"], chosen: chosen, recovering: 1))
        let seen = try #require(presenter.alert)
        await presenter.recover(seen, option: 0)
        #expect(!presenter.isRetrying)
        await presenter.recover(seen, option: 2)
        await presenter.recover(seen, option: -1)
        expect(presenter.alert, equals: seen)
        expect(chosen.withLock { $0 }, equals: [0])
        await presenter.recover(seen, option: 1)
        expectNil(presenter.alert)
        expect(presenter.statistics, equals: .init(received: 1, shown: 1))
    }

    @Test("an error from a bus has its options too, and is released after it is discarded or dismissed")
    func fromBus() async throws {
        let chosen = Locked<[Int]>([])
        let presenter = ErrorPresenter(rules: .alerts, limit: 1)
        weak var held: AnyObject?
        do {
            let token = NSObject()
            held = token
            await withErrorBus(handler: ErrorHandler()) { bus in
                let observation = presenter.observe(bus)
                bus.post(Conflict(options: ["yes"], chosen: chosen))
                bus.post(Conflict(message: "behind", options: ["yes"], chosen: chosen, token: token))
                await waitUntil { presenter.waiting == 1 }
                withExtendedLifetime(observation) {}
            }
        }
        #expect(held != nil)
        // This error replaces the waiting error.
        presenter.present(Plain("asked for"))
        // The bus's worker might still be ending.
        await waitUntil { held == nil }
        expect(presenter.discarded, equals: 1)
        let seen = try #require(presenter.alert)
        presenter.closeShown(.alert)
        await presenter.recover(seen, option: 0)
        expect(chosen.withLock { $0 }, equals: [0])
        expect(presenter.alert?.message, equals: "asked for")
    }

    @Test("an error that answers late, twice, on another thread, or never doesn't block anything", arguments: 0..<4)
    func answers(kind: Int) async throws {
        let answers = Locked<[@Sendable (Bool) -> Void]>([])
        presenter.present(Asynchronous(answers: answers))
        let seen = try #require(presenter.alert)
        let recovery = Task { await presenter.recover(seen, option: 0) }
        await waitUntil { answers.withLock { !$0.isEmpty } }
        #expect(presenter.isRetrying)
        expect(presenter.alert, equals: seen)
        switch kind {
        case 0:
            let answer = answers.withLock { $0.removeLast() }
            Thread.detachNewThread {
                answer(true)
                answer(false)
            }
        case 1: answers.withLock { $0.removeLast() }(false)
        case 2: answers.withLock { $0.removeAll() }
        default: recovery.cancel()
        }
        await recovery.value
        expect(presenter.alert == nil, equals: kind == 0)
        #expect(!presenter.isRetrying)
    }

    private struct Conflict: LocalizedError, RecoverableError {
        var message = "Somebody else has changed it."
        let options: [String]
        let chosen: Locked<[Int]>
        /// The option that recovers; nil if all options recover.
        var recovering: Int?
        nonisolated(unsafe) var token: NSObject?

        var errorDescription: String? { message }
        var recoveryOptions: [String] { options }

        func attemptRecovery(optionIndex: Int) -> Bool {
            chosen.withLock { $0.append(optionIndex) }
            return recovering.map { $0 == optionIndex } ?? true
        }
    }

    private struct Asynchronous: RecoverableError {
        let answers: Locked<[@Sendable (Bool) -> Void]>

        var recoveryOptions: [String] { ["Wait"] }

        func attemptRecovery(optionIndex: Int) -> Bool { false }

        func attemptRecovery(optionIndex: Int, resultHandler: @escaping (Bool) -> Void) {
            nonisolated(unsafe) let handler = resultHandler
            answers.withLock { $0.append { unsafe handler($0) } }
        }
    }
}
