import ErrorRouting
import ErrorRoutingTesting
import Foundation
import RecordingSupport
import Synchronization
import TestSupport
import Testing

@testable import ErrorRecording

@Suite("E1: recording never waits, and every report is accounted for", .tags(.recording1), .hangLimit)
struct RecorderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Blocks the recorder's thread until it is opened.
    private final class Barrier: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func pass() { semaphore.wait() }
        func open() { semaphore.signal() }
    }

    /// A redaction that blocks the thread at the first record, and signals when it is reached.
    private func holding(_ barrier: Barrier, _ arrived: Gate) -> @Sendable (ErrorRecord) -> ErrorRecord {
        { record in
            if record.sequence == 1 {
                arrived.open()
                barrier.pass()
            }
            return record
        }
    }
}

extension RecorderTests {
    @Test func `reports that a bus delivers are in the file, in order, with their outcomes`() async throws {
        let recorder = try ErrorRecorder(
            path: folder.file, configuration: .init(service: "orders", release: "2.4.1", host: "web-1"),
            rebuilding: RebuildableErrors().adding(Order.self))
        let rules = ErrorHandler().on(Order.self) { _ in .stop }.ignore(CancellationError.self)
        await withErrorBus(handler: rules) { bus in
            bus.observeUntilEnd { recorder.record($0) }
            for number in 1...100 { bus.post(Order.overLimit(cents: number)) }
            bus.post(CancellationError())
            bus.post(Plain(number: 1))
        }
        let statistics = await recorder.close(within: longTime)
        expect(statistics, equals: .init(recorded: 102, written: 102))
        let records = try RecordedFile(folder).records
        expect(records.map(\.sequence), equals: Array(1...102))
        expect(records.prefix(100).map(\.value), equals: (1...100).map { #"{"overLimit":{"cents":\#($0)}}"# })
        expect(records.map(\.disposition).suffix(3), equals: ["handled", "ignored", "unmatched"])
        expect(Set(records.map { [$0.host, $0.service, $0.release, $0.start] }).count, equals: 1)
        let first = try #require(records.first)
        expect([first.host, first.service, first.release], equals: ["web-1", "orders", "2.4.1"])
        expectNil(ErrorRecorder.Configuration().release)
        #expect(!ErrorRecorder.Configuration().host.isEmpty)
    }

    @Test func `a full queue drops and counts the newest report, and its number is missing in the file`() async throws {
        let (barrier, arrived) = (Barrier(), Gate())
        let configuration = ErrorRecorder.Configuration(capacity: 3, redact: holding(barrier, arrived))
        let recorder = try ErrorRecorder(path: folder.file, configuration: configuration)
        recorder.record(report(Plain(number: 1)))
        await arrived.wait()
        for number in 2...5 { recorder.record(report(Plain(number: number))) }
        expect(recorder.statistics, equals: .init(recorded: 5, dropped: 2, pending: 3))
        barrier.open()
        await recorder.settle()
        recorder.record(report(Plain(number: 6)))
        expect(await recorder.close(within: longTime), equals: .init(recorded: 6, written: 4, dropped: 2))
        expect(try RecordedFile(folder).records.map(\.sequence), equals: [1, 2, 3, 6])
    }

    @Test func `closing returns in time even if the thread is blocked, and no cancellation shortens its wait`()
        async throws
    {
        let (barrier, arrived) = (Barrier(), Gate())
        let recorder = try ErrorRecorder(
            path: folder.file, configuration: .init(redact: holding(barrier, arrived)))
        recorder.record(report(Plain(number: 1)))
        recorder.record(report(Plain(number: 2)))
        await arrived.wait()
        expect(await recorder.close(within: .zero), equals: .init(recorded: 2, pending: 2))
        expect(await recorder.close(within: .milliseconds(20)), equals: .init(recorded: 2, pending: 2))
        recorder.record(report(Plain(number: 3)))
        expect(recorder.statistics, equals: .init(recorded: 3, dropped: 1, pending: 2))
        let closing = Gate()
        let task = Task {
            await closing.wait()
            return await recorder.close(within: longTime)
        }
        task.cancel()
        closing.open()
        barrier.open()
        // The pending reports are written now.
        expect(await task.value, equals: .init(recorded: 3, written: 2, dropped: 1))
        expect(await recorder.close(within: .seconds(Int64.max)), equals: .init(recorded: 3, written: 2, dropped: 1))
        expect(try RecordedFile(folder).records.map(\.sequence), equals: [1, 2])
    }

    @Test func `when a recorder is released, its pending reports are written, and its thread ends`() async throws {
        let (barrier, arrived, ended) = (Barrier(), Gate(), Gate())
        /// An object that lives as long as the thread retains the configuration.
        final class Witness: Sendable {
            let gate: Gate
            init(_ gate: Gate) { self.gate = gate }
            deinit { gate.open() }
        }
        func recordAndRelease() throws {
            let witness = Witness(ended)
            let hold = holding(barrier, arrived)
            let recorder = try ErrorRecorder(
                path: folder.file,
                configuration: .init(redact: { record in withExtendedLifetime(witness) { hold(record) } }))
            for number in 1...10 { recorder.record(report(Plain(number: number))) }
        }
        try recordAndRelease()
        await arrived.wait()
        barrier.open()
        await ended.wait()
        expect(try RecordedFile(folder).records.map(\.sequence), equals: Array(1...10))
    }

    @Test func `a report whose line is written is released, even while other reports of its batch wait`() async throws {
        final class Witness: Error {
            let gate: Gate
            init(_ gate: Gate) { self.gate = gate }
            deinit { gate.open() }
        }
        let (first, second) = (Barrier(), Barrier())
        let (arrived, released) = (Gate(), Gate())
        let hold = holding(first, arrived)
        let configuration = ErrorRecorder.Configuration { record in
            // Block the writer only after more lines than one call writes.
            if record.sequence == 200 { second.pass() }
            return hold(record)
        }
        let recorder = try ErrorRecorder(path: folder.file, configuration: configuration)
        recorder.record(report(Plain(number: 1)))
        await arrived.wait()
        recorder.record(report(Witness(released)))
        for number in 3...300 { recorder.record(report(Plain(number: number))) }
        first.open()
        await released.wait()
        #expect(recorder.statistics.pending > 100)
        second.open()
        expect(await recorder.close(within: longTime), equals: .init(recorded: 300, written: 300))
    }

    @Test func `a recorder that has ended is released although the time limit on waiting isn't over`() async throws {
        final class Witness: Sendable {
            let gate: Gate
            init(_ gate: Gate) { self.gate = gate }
            deinit { gate.open() }
        }
        let (barrier, arrived, released) = (Barrier(), Gate(), Gate())
        func recordAndClose() async throws {
            let witness = Witness(released)
            let hold = holding(barrier, arrived)
            let recorder = try ErrorRecorder(
                path: folder.file,
                configuration: .init(redact: { record in withExtendedLifetime(witness) { hold(record) } }))
            recorder.record(report(Plain(number: 1)))
            await arrived.wait()
            async let closed = recorder.close(within: .seconds(86_400))
            await eventually("the closed recorder drops a record") {
                recorder.record(report(Plain(number: 2)))
                return recorder.statistics.dropped > 0
            }
            barrier.open()
            expect(await closed.pending, equals: 0)
        }
        try await recordAndClose()
        await released.wait()
    }

    @Test func `records are redacted before they are written, by a thread that may wait for recording threads`()
        async throws
    {
        let rest = Locked(100)
        // The redaction captures its own recorder. It calls the recorder and also records with it.
        let recorder = Locked<ErrorRecorder?>(nil)
        let configuration = ErrorRecorder.Configuration { record in
            let another = rest.withLock { rest in
                rest -= 1
                return rest >= 0
            }
            if another, let recorder = recorder.withLock({ $0 }), recorder.statistics.isBalanced {
                recorder.record(report(Order.late))
            }
            var record = record
            record.message = "a secret was here"
            record.metadata["card"] = nil
            return record
        }
        let made = try ErrorRecorder(path: folder.file, configuration: configuration)
        recorder.withLock { $0 = made }
        made.record(report(Sized(length: 9), metadata: ["card": "4111 1111", "order": "17"]))
        await made.settle()
        recorder.withLock { $0 = nil }
        await made.close(within: longTime)
        let file = try RecordedFile(folder)
        expect(file.records.map(\.message), equals: .init(repeating: "a secret was here", count: 101))
        expect(file.records.first?.metadata, equals: ["order": "17"])
        #expect(!file.text.contains(/4111 1111|xxxxxxxxx/))
    }

    @Test
    func `values that throw, are too large, or have unknown types are left out, and the line is still written`()
        async throws
    {
        struct Throwing: Error, Codable {
            func encode(to encoder: any Encoder) throws { throw Order.late }
        }
        struct Large: Error, Codable { var text = String(repeating: "x", count: 100_000) }
        struct Nan: Error, Codable { var number = Double.nan }
        let rebuilding = RebuildableErrors().adding(Throwing.self).adding(Large.self).adding(Nan.self)
        let recorder = try ErrorRecorder(path: folder.file, rebuilding: rebuilding)
        expect(await recorder.recordAll([Throwing(), Large(), Nan(), Order.late]).written, equals: 4)
        expect(try RecordedFile(folder).records.map(\.value), equals: [nil, nil, #"{"number":"nan"}"#, nil])
    }

    @Test func `an error that posts while it is encoded doesn't cause a deadlock, and is counted`() async throws {
        struct Posting: Error, Codable, CustomStringConvertible {
            static let bus = Locked<ErrorBus?>(nil)
            private func post() { Self.bus.withLock { $0 }?.post(Posting()) }
            var description: String {
                post()
                return "posting"
            }
            func encode(to encoder: any Encoder) throws {
                post()
                var container = encoder.singleValueContainer()
                try container.encode("posting")
            }
            init() {}
            init(from decoder: any Decoder) throws {}
        }
        let sixth = Gate()
        let configuration = ErrorRecorder.Configuration(capacity: 64) { record in
            if record.sequence == 6 { sixth.open() }
            return record
        }
        let recorder = try ErrorRecorder(
            path: folder.file, configuration: configuration, rebuilding: RebuildableErrors().adding(Posting.self))
        let posted = await withErrorBus(handler: ErrorHandler().on(Posting.self) { _ in .stop }) { bus in
            Posting.bus.withLock { $0 = bus }
            bus.observeUntilEnd { recorder.record($0) }
            bus.post(Posting())
            // Each error posts twice, so their number grows. Errors that the full queue drops don't cause posts.
            await sixth.wait()
            Posting.bus.withLock { $0 = nil }
            return bus
        }
        let statistics = await recorder.close(within: longTime)
        #expect(statistics.isBalanced)
        expect(statistics.pending, equals: 0)
        expect(statistics.recorded, equals: posted.statistics.posted)
    }

    @Test func `the counts balance whenever they are read, while many threads record and the queue overflows`()
        async throws
    {
        let recorder = try ErrorRecorder(path: folder.file, configuration: .init(capacity: 16))
        let isOver = Atomic(false)
        async let readings: Int = {
            var count = 0
            while !isOver.load(ordering: .relaxed) {
                let statistics = recorder.statistics
                #expect(statistics.isBalanced, "\(statistics)")
                #expect((0...16).contains(statistics.pending), "\(statistics)")
                count += 1
                await Task.yield()
            }
            return count
        }()
        await withTaskGroup { group in
            for poster in 0..<4 {
                group.addTask {
                    for number in 0..<1_000 { recorder.record(report(Plain(number: poster * 1_000 + number))) }
                }
            }
        }
        let statistics = await recorder.close(within: longTime)
        isOver.store(true, ordering: .relaxed)
        #expect(await readings > 0)
        #expect(statistics.isBalanced)
        expect([statistics.recorded, statistics.pending, statistics.failed], equals: [4_000, 0, 0])
        let sequences = try RecordedFile(folder).records.map(\.sequence)
        expect(sequences.count, equals: statistics.written)
        expect(sequences, equals: sequences.sorted())
    }

    @Test func `reports of the same instant have the same time, and times follow the order of instants`() async throws {
        let recorder = try ErrorRecorder(path: folder.file)
        let instant = ContinuousClock.now
        for number in 0..<100 {
            let instant = instant + .microseconds(number / 10)
            recorder.record(ErrorReport(error: Order.late, source: .init(), instant: instant))
        }
        await recorder.close(within: longTime)
        let times = try RecordedFile(folder).records.map(\.time)
        expect(times, equals: times.sorted())
        expect(Set(times).count, equals: 10)
    }

    @Test func `a recorder that can't open its file throws an error with the path`() throws {
        for path in ["\(folder.path)/none/errors.jsonl", folder.path, ""] {
            let error = try #require(throws: ErrorRecorder.CannotOpen.self) { try ErrorRecorder(path: path) }
            expect(error.path, equals: path)
            #expect(error.description.hasPrefix("\(path) cannot be opened: "))
            expect(error.code, equals: (path.hasSuffix("errors.jsonl") ? ENOENT : EISDIR))
            #expect(
                ErrorMatcher.anywhere(.nsError(domain: NSPOSIXErrorDomain, code: Int(error.code))).match(error) != nil)
        }
        // The path isn't truncated at a NUL.
        let error = #expect(throws: ErrorRecorder.CannotOpen.self) { try ErrorRecorder(path: "\(folder.file)\0.old") }
        expect(error?.code, equals: EINVAL)
        expect(folder.names, equals: [])
    }

    @Test func `two recorders in one process have different starts`() async throws {
        let starts = try await withThrowingTaskGroup(of: Void.self) { [folder] group in
            for number in 0..<20 {
                group.addTask {
                    try await ErrorRecorder(path: "\(folder.path)/\(number)").recordAll([Order.late])
                }
            }
            try await group.waitForAll()
            return try (0..<20).flatMap { try RecordedFile("\(folder.path)/\($0)").records.map(\.start) }
        }
        expect(Set(starts).count, equals: 20)
    }
}
