import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import error_bus_demo

/// Files that are too large, endless, or named by bytes that are no UTF-8.
@Suite final class OddFilesTests {
    private let sample: SampleInbox
    private let folder: FilePath

    /// A name in Latin-1: UTF-8 has no byte FC.
    private static let latin = FilePath(bytes: Array("order-m".utf8) + [0xFC] + "ller.json".utf8)

    init() throws {
        sample = try SampleInbox(kinds: [:])
        folder = try FilePath(sample.folder.path).resolved()
    }

    deinit { sample.remove() }

    private func make(_ name: FilePath, _ content: String = "", size: Int = 0) throws {
        let flags = O_WRONLY | O_CREAT | O_EXCL
        let descriptor = unsafe folder.appending(name).withCString { unsafe open($0, flags, 0o600) }
        try #require(descriptor >= 0)
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(content.utf8))
        // A sparse file takes no space on disk.
        if size > 0 { try file.truncate(atOffset: UInt64(size)) }
    }

    /// Returns the statistics of an intake of the inbox.
    private func statistics(ledger: Ledger) async throws -> ErrorBus.Statistics {
        let payments = PaymentClient(endpoint: PaymentClient.closedEndpoint)
        let inbox = try Inbox(folder)
        let progress = ProgressDisplay(total: inbox.entries.count, ledger: ledger)
        let intake = OrderIntake(
            inbox: inbox, payments: RecoveringPayments(payments), ledger: ledger, progress: progress)
        return await withErrorBus(handler: .orderIntake(ledger: ledger)) { bus in
            await intake.run(in: IntakeScopes(of: bus, ledger: ledger))
            return bus
        }.statistics
    }
}

extension OddFilesTests {
    @Test func `a file of several gigabytes is refused by its size`() async throws {
        let size = 6 * 1024 * 1024 * 1024
        try make("order.json", size: size)
        let error = #expect(throws: FileTooLarge.self) { try Inbox.readOrder(folder.appending("order.json")) }
        expect(error, equals: FileTooLarge(size: size, limit: 16 * 1024 * 1024))
        expect(error?.description, equals: "the file has 6442450944 bytes, and an order no more than 16777216")
        let ledger = Ledger()
        let statistics = try await statistics(ledger: ledger)
        expect([statistics.handled, statistics.posted], equals: [1, 1])
        expect([ledger[.left], ledger[.quarantined]], equals: [1, 0])
    }

    @Test func `an order may be as large as the limit; what has no end is read to a byte beyond it`() throws {
        try make("small.json", "123456789")
        expect(try folder.appending("small.json").read(upTo: 9).count, equals: 9)
        #expect(throws: FileTooLarge(size: 9, limit: 8)) { try folder.appending("small.json").read(upTo: 8) }
        let (limit, written) = (100_000, 300_000)
        try make("order.json", String(repeating: " ", count: written))
        let descriptor = unsafe folder.appending("order.json").withCString { unsafe open($0, O_RDONLY) }
        defer { close(descriptor) }
        // As if the file had grown since its size was read.
        #expect(throws: FileTooLarge(size: nil, limit: limit)) { try FilePath.read(descriptor, upTo: limit) }
        expect(lseek(descriptor, 0, SEEK_CUR), equals: off_t(limit + 1))
        let zeros = unsafe open("/dev/zero", O_RDONLY)
        defer { close(zeros) }
        #expect(throws: FileTooLarge(size: nil, limit: limit)) { try FilePath.read(zeros, upTo: limit) }
        #if os(Linux)
            #expect(throws: FileTooLarge(size: nil, limit: 5)) { try FilePath("/proc/self/status").read(upTo: 5) }
        #endif
    }

    @Test(.timeLimit(.minutes(10))) func `pipes and devices are refused, and not waited for`() async throws {
        let pipe = folder.appending("pipe.json")
        expect(unsafe pipe.withCString { unsafe mkfifo($0, 0o600) }, equals: 0)
        expect(unsafe folder.appending("zero.json").withCString { unsafe symlink("/dev/zero", $0) }, equals: 0)
        #expect(throws: SpecialFile(path: pipe.text)) { try pipe.read(upTo: 10) }
        let ledger = Ledger()
        let statistics = try await statistics(ledger: ledger)
        expect([statistics.handled, statistics.posted], equals: [2, 2])
        expect(ledger[.left], equals: 2)
    }

    @Test func `any path can be read back from its text`() {
        for bytes in [[0x61], [0xFC], [0x25, 0x46, 0x43], [0x25, 0xFC, 0x0A, 0x20, 0x5C], [0x07, 0xC3]] as [[UInt8]] {
            let path = FilePath(bytes: [0x2F] + bytes)
            expect(FilePath(text: path.text), equals: path)
            #expect(path.text.unicodeScalars.allSatisfy { $0 != "\u{FFFD}" })
        }
        expect(FilePath(bytes: [0x2F, 0xFC, 0x0A, 0x25]).text, equals: "file:///%FC%0A%25")
        expect(FilePath("/a/ä%FC.json").text, equals: "/a/ä%FC.json")
        for broken in ["file:///%F", "file:///%", "file:///%+F", "file:///%G0"] {
            expectNil(FilePath(text: broken))
        }
    }
}

#if os(Linux)
    // Elsewhere the file system may refuse such names.
    extension OddFilesTests {
        @Test func `a file or an inbox whose name is no UTF-8 is taken as any other`() async throws {
            let order = #"{"id": "A-1", "customer": "c", "lines": [{"sku": "tea", "quantity": 1, "unitCents": 5}]}"#
            try make(Self.latin, order)
            let inbox = try Inbox(folder)
            expect(inbox.entries, equals: [folder.appending(Self.latin)])
            expect(inbox.entries.first?.name.text, equals: "order-m%FCller.json")
            let ledger = Ledger()
            let statistics = try await statistics(ledger: ledger)
            // The payment fails, since nobody listens.
            expect([ledger[.accepted], ledger[.due]], equals: [1, 1])
            expect([statistics.posted, statistics.ignored], equals: [1, 0])

            let other = folder.appending(FilePath(bytes: [0xE4]))
            expect(unsafe other.withCString { unsafe mkdir($0, 0o700) }, equals: 0)
            expect(try Inbox(Options(arguments: [other]).inbox ?? "").folder, equals: other)
            let gone = folder.appending(FilePath(bytes: [0xF6]))
            let error = #expect(throws: UnreadableInbox.self) { try Inbox(gone) }
            expect(error?.description.hasSuffix("/inbox/%F6\": there is no such folder"), equals: true)
        }

        @Test func `broken files whose names are no UTF-8 come to quarantine under their own names`() async throws {
            let ledger = Ledger()
            for _ in 1...2 {
                try make(Self.latin, "{")
                expect(try await statistics(ledger: ledger).ignored, equals: 0)
            }
            expect(ledger[.quarantined], equals: 2)
            #expect(try folder.entryNames().isEmpty)
            let second = FilePath(bytes: Array("order-m".utf8) + [0xFC] + "ller-2.json".utf8)
            let names = try Quarantine.folder(for: folder).entryNames()
            expect(Set(names), equals: [Self.latin, second])
        }

        @Test func `a quarantine on another volume gets a copy, and the file is gone`() async throws {
            let elsewhere = FilePath("/dev/shm/error-bus-demo-\(UUID().uuidString)")
            var (here, there) = (stat(), stat())
            try #require(unsafe elsewhere.withCString { unsafe mkdir($0, 0o700) } == 0)
            defer { try? FileManager.default.removeItem(atPath: elsewhere.text) }
            try #require(unsafe stat(folder.text, &here) == 0 && stat(elsewhere.text, &there) == 0)
            // Where both are one volume there is nothing to see.
            guard here.st_dev != there.st_dev else { return }
            expect(unsafe symlink(elsewhere.text, Quarantine.folder(for: folder).text), equals: 0)
            try make("order.json", "{")
            let place = try await Quarantine.move(folder.appending("order.json"))
            expect(try place.read(upTo: 10), equals: Data("{".utf8))
            #expect(try folder.entryNames().isEmpty)
        }
    }
#endif
