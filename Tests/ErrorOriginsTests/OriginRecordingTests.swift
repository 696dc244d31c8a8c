import CErrorOrigins
import ErrorOrigins
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("Behaviour 30: places are recorded in a separate process", .tags(.behaviour30), .hangLimit)
struct OriginRecordingProcessTests {
    @Test("all tests of the recording pass there", .disabled(if: SeparateTests.areRun))
    func process() async throws {
        let run = try await SeparateTests.run("OriginRecordingTests")
        expect(run.status, equals: 0, "\(run.output)")
        #expect(run.output.contains(/Test run with 1\d tests .* passed/), "\(run.output)")
    }
}

/// A process has one recording, so these tests run one after another; and in a process of their own, because the texts
/// of other tests' errors would contain places.
@Suite(
    "Behaviour 30: a report has the place of its error's throw, or none", .serialized, .tags(.behaviour30), .hangLimit,
    .enabled(if: SeparateTests.areRun))
struct OriginRecordingTests {
    init() { #expect(OriginRecording.start()) }

    private typealias Thrower = (inout UInt) throws -> Void

    /// Throws and catches an error; returns it with the address of the call in front of its throw.
    private func thrown(_ thrower: Thrower) -> (error: any Error, here: UInt) {
        var here: UInt = 0
        do {
            try thrower(&here)
        } catch {
            return (error, here)
        }
        Issue.record("nothing was thrown")
        return (Numbered(number: 0), 0)
    }

    /// The origin of an error in a report that is made now.
    private func origin(of error: any Error) -> ErrorOrigin? {
        ErrorReport(error: error, source: .init()).origin
    }

    private func expectPlace(
        _ error: any Error, near here: UInt, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let address = origin(of: error)?.frames.first?.address ?? 0
        let distance = abs(Int(address) - Int(here))
        #expect(distance < 1_024, sourceLocation: sourceLocation)
    }

    @Test("each sort of error that is thrown untyped has the place of its throw")
    func sorts() {
        let errors: [any Error] = [
            Object(1), Typed.number(1), Typed.text("a text on the heap, since it is long"), Numbered(number: 1),
            NSError(domain: "d", code: 1), URLError(.timedOut), CancellationError(),
        ]
        for error in errors {
            let (error, here) = thrown { here in try Throwers.untyped(error, here: &here) }
            expectPlace(error, near: here)
        }
        for thrower in [Throwers.first, Throwers.second] {
            let (error, here) = thrown { here in try thrower(1, &here) }
            expectPlace(error, near: here)
        }
    }

    @Test("the first place stays when an error is thrown again")
    func again() {
        let (error, here) = thrown { here in try Throwers.first(1, here: &here) }
        var elsewhere: UInt = 0
        for _ in 0..<3 {
            do { try Throwers.untyped(error, here: &elsewhere) } catch { expectPlace(error, near: here) }
        }
        #expect(here != elsewhere)
    }

    @Test("functions, files, and lines are known soon after the first report")
    func names() async throws {
        let line: UInt = #line + 1
        let (error, _) = thrown { _ in throw Numbered(number: 1) }
        let recorded = await withRecordedErrors { bus in bus.post(error) }
        let report = try #require(recorded.reports.first)
        while report.origin?.frames.first?.function == nil { await Task.yield() }
        let place = report.origin?.frames.first
        #expect(place?.function?.contains("names") == true)
        #if DEBUG
            expect(place?.file, equals: "ErrorOriginsTests/OriginRecordingTests.swift")
            expect(place?.line, equals: line)
            #expect(report.description.contains("thrown=ErrorOriginsTests/OriginRecordingTests.swift:\(line)"))
        #endif
        #expect(report.fields["code.function.name"]?.contains("names") == true)
    }

    @Test("a report has the place that was found at the post, although later throws have replaced it")
    func atThePost() async {
        let (error, here) = thrown { here in try Throwers.first(1, here: &here) }
        await withErrorBus(handler: ErrorHandler()) { bus in
            var reports = bus.reports().makeAsyncIterator()
            bus.post(error)
            for number in 0..<10_000 { _ = thrown { here in try Throwers.second(number, here: &here) } }
            let address = await reports.next()?.origin?.frames.first?.address
            #expect(abs(Int(address ?? 0) - Int(here)) < 1_024)
        }
    }

    @Test("errors that pass through continuations, streams, tasks, and bound scopes keep their place")
    func passedOn() async throws {
        let (error, here) = thrown { here in try Throwers.first(1, here: &here) }
        do {
            try await withCheckedThrowingContinuation { $0.resume(throwing: error) } as Void
        } catch { expectPlace(error, near: here) }
        do {
            for try await _ in AsyncThrowingStream<Int, any Error>(unfolding: { throw error }) {}
        } catch { expectPlace(error, near: here) }
        do { try await Task { throw error }.value } catch { expectPlace(error, near: here) }
        do { _ = try Result<Int, any Error>.failure(error).get() } catch { expectPlace(error, near: here) }
        do { try await Throwers.suspending(1) } catch {
            #expect(origin(of: error) != nil)
        }
    }

    @Test("an error that was never thrown has no place, at whatever address it is")
    func neverThrown() {
        var wrong = 0
        for number in 0..<(isLong ? 1_000_000 : 50_000) {
            let (error, _) = thrown { here in try Throwers.first(number, here: &here) }
            withExtendedLifetime(error) {}
            let errors: [any Error] = [
                Numbered(number: -1 - number), Object(number), Typed.text("\(number) on the heap"),
            ]
            wrong += errors.count { origin(of: $0) != nil }
        }
        expect(wrong, equals: 0)
    }

    @Test("an error that a function with typed throws throws has no place, since equal values can't be told apart")
    func typedThrows() {
        for error in [Typed.number(1), .down, .text("a text on the heap, since it is long")] {
            let (one, _) = thrown { here in try Throwers.typed(error, here: &here) }
            #expect(origin(of: one) == nil)
            let (other, here) = thrown { here in try Throwers.untyped(one, here: &here) }
            expectPlace(other, near: here)
        }
    }

    @Test("a hook that is put in front is called, no place is recorded then, and a start doesn't recurse")
    func inFront() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            precondition(OriginRecording.start())
            ForeignHook.putInFront()
            OriginRecording.stop()
            OriginRecording.start()
            var here: UInt = 0
            do { try Throwers.first(1, here: &here) } catch {
                precondition(ErrorReport(error: error, source: .init()).origin == nil)
            }
            precondition(ForeignHook.calls > 0)
        }
    }

    @Test("threads that throw, keep, throw again, and drop errors find the right place of each, or none")
    func threads() async {
        let rounds = isLong ? 125_000 : 5_000
        let wrong = Locked(0), found = Locked(0)
        await onThreads(8) { thread in
            var (kept, bad, good): ([(any Error, UInt)], Int, Int) = ([], 0, 0)
            for round in 0..<rounds {
                var here: UInt = 0
                do {
                    switch (round + thread) % 3 {
                    case 0: try Throwers.first(round, here: &here)
                    case 1: try Throwers.second(round, here: &here)
                    default: try Throwers.untyped(Object(round), here: &here)
                    }
                } catch {
                    var elsewhere: UInt = 0
                    // Kept for a while, and thrown again by some.
                    kept.append((error, here))
                    if round % 5 == 0 { do { try Throwers.untyped(error, here: &elsewhere) } catch {} }
                }
                guard kept.count > 16 else { continue }
                let (error, place) = kept.removeFirst()
                let address = ErrorReport(error: error, source: .init()).origin?.frames.first?.address
                if let address, abs(Int(address) - Int(place)) >= 1_024 { bad += 1 }
                if address != nil { good += 1 }
                if ErrorReport(error: Numbered(number: -1 - round), source: .init()).origin != nil { bad += 1 }
            }
            wrong.withLock { $0 += bad }
            found.withLock { $0 += good }
        }
        expect(wrong.withLock { $0 }, equals: 0)
        #expect(found.withLock { $0 } > 0)
    }

    @Test("payloads are destroyed as soon as the last reference goes")
    func payloads() {
        final class Payload: Sendable {}
        struct Holding: Error { let payload: Payload }
        weak var payload: Payload?
        weak var object: Object?
        do {
            let held = Payload()
            payload = held
            throw Holding(payload: held)
        } catch {}
        #expect(payload == nil)
        do { try { throw Object(1) }() } catch { object = error as? Object }
        #expect(object == nil)
    }

    @Test("the tables take at most 128 KiB: with names and with destroyed errors, at most 256 KiB")
    func memory() { #expect(error_origins_table_size() <= 128 * 1_024) }

    @Test("after a stop no throw is recorded, and a start records again")
    func stopped() {
        OriginRecording.stop()
        let (before, _) = thrown { here in try Throwers.first(1, here: &here) }
        #expect(OriginRecording.start())
        #expect(origin(of: before) == nil)
        let (after, here) = thrown { here in try Throwers.first(1, here: &here) }
        expectPlace(after, near: here)
    }
}
