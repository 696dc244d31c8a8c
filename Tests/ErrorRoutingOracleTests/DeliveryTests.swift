import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 12: delivery is serial, and an action inherits nothing from callers or from other actions",
    .tags(.promise12), .hangLimit)
struct DeliveryTests {
    @TaskLocal fileprivate static var label = "none"
}

extension DeliveryTests {
    @Test("all actions for a report end before the next report begins, whether they are synchronous or asynchronous")
    func serial() async {
        let steps = Log<String>()
        let handler = ErrorHandler()
            .always { error in
                steps.add("end")
                return .next
            }
            .on(Mishap.self) { _ in
                await Task.yield()
                steps.add("second")
                return .stop
            }
            .on(Mishap.self) { _ in
                steps.add("begin")
                return .next
            }
        let stage = Stage(handler)
        await stage.running {
            await withTaskGroup(of: Void.self) { group in
                for number in 1...40 { group.addTask { @concurrent in stage.post(number...number) } }
            }
        }
        expect(steps.entries, equals: (1...40).flatMap { _ in ["begin", "second", "end"] })
        stage.expectLaws()
    }

    @Test("task-locals, cancellation, and scope of code that runs, posts, or flushes don't reach actions; the bus does")
    func inheritsNothing() async {
        let found = Log<[String]>()
        let facts = { @Sendable () -> [String] in
            let bus = ErrorBus.current.map { "\(ObjectIdentifier($0))" } ?? "no bus"
            return [bus, Self.label, "\(Task.isCancelled)", "\(#isolation == nil)"]
        }
        let stage = Stage(
            ErrorHandler()
                .on(Mishap(1)) { _ in
                    found.add(facts())
                    return .next
                }
                .on(Mishap.self) { _ in
                    await Task.yield()
                    found.add(facts())
                    return .next
                })
        let other = ErrorBus(handler: ErrorHandler())
        await Self.$label.withValue("caller") {
            await withErrorBus(handler: ErrorHandler()) { _ in
                stage.post(1...2)
                let run = Task { @MainActor in
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    await stage.bus.run()
                }
                await run.value
            }
        }
        let expected = ["\(ObjectIdentifier(stage.bus))", "none", "false", "true"]
        expect(found.entries, equals: [expected, expected, expected])
        withExtendedLifetime(other) {}
    }

    /// Which of two actions cancels its own task.
    private enum Canceller: CaseIterable { case synchronous, asynchronous }

    @Test(
        "an action that cancels its own task cancels no later asynchronous action, and no action for the next report",
        arguments: Canceller.allCases)
    private func cancelsItself(canceller: Canceller) async {
        let found = Log<String>()
        let cancel = { @Sendable in unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        var handler = ErrorHandler()
            .always { error in
                await Task.yield()
                found.add("always \(error) \(Task.isCancelled)")
                return .next
            }
            .on(Mishap.self) { error in
                await Task.yield()
                found.add("later \(error.number) \(Task.isCancelled)")
                return .stop
            }
        switch canceller {
        case .synchronous:
            handler = handler.on(Mishap.self) { error in
                found.add("first \(error.number) \(Task.isCancelled)")
                cancel()
                return .next
            }
        case .asynchronous:
            handler = handler.on(Mishap.self) { error in
                await Task.yield()
                found.add("first \(error.number) \(Task.isCancelled)")
                cancel()
                await Task.yield()
                return .next
            }
        }
        let stage = Stage(handler)
        stage.post(1...5)
        await stage.drain()
        let expected = (1...5).flatMap { ["first \($0) false", "later \($0) false", "always mishap \($0) false"] }
        expect(found.entries, equals: expected)
        expect(stage.seen.entries.labels, equals: (1...5).map { "\($0)" })
        expect(stage.bus.counts, equals: Counts(posted: 5, handled: 5))
        stage.expectLaws()
    }

    @Test("an error that an action posts is delivered later; finish in an action still delivers the pending reports")
    func postsAndFinishes() async {
        let stage = Stage(
            ErrorHandler()
                .on(Mishap(1)) { _ in
                    ErrorBus.current?.post(Mishap(10))
                    ErrorBus.current?.finish()
                    ErrorBus.current?.post(Mishap(11))
                    return .stop
                })
        stage.post(1...3)
        await stage.bus.run()
        expect(stage.seen.entries.labels, equals: ["1", "2", "3", "10"])
        expect(stage.lines.entries.labels, equals: ["11"])
        expect(stage.bus.counts.dropped, equals: 1)
        stage.expectLaws()
    }

    @Test("shutdown in an action returns immediately; each report removed at its deadline is one last-resort line")
    func shutdownInAnAction() async {
        let (entered, leave, returned) = (Gate(), Gate(), Log<Int>())
        let stage = Stage(
            ErrorHandler()
                .on(Mishap(1)) { _ in
                    guard let bus = ErrorBus.current else { return .stop }
                    returned.add(await bus.shutdown(within: .seconds(5)).count)
                    entered.open()
                    await leave.wait()
                    return .stop
                })
        stage.post(1...3)
        async let run: Void = stage.bus.run()
        await entered.wait()
        expect(returned.entries, equals: [0])
        expect(stage.bus.counts.pending, equals: 3)
        await stage.clock.waitForSleepers()
        stage.clock.advance(by: .seconds(5))
        await run
        leave.open()
        expect(stage.lines.entries.labels, equals: ["1", "2", "3"])
        expect(stage.bus.counts, equals: Counts(posted: 3, dropped: 3))
        stage.expectLaws()
    }
}
