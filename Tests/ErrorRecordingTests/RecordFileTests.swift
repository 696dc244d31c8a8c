import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording

#if canImport(Darwin)
    import Darwin
#endif

@Suite("E2: files are whole, bounded, and at the path where a reader expects them", .tags(.recording2), .hangLimit)
struct RecordFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

extension RecordFileTests {
    @Test func `a new file has its mode and path whatever the process's mask and folder; an old one keeps its mode`()
        async throws
    {
        try handOver(folder.path, as: "mask")
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let path: String = try handedOver("mask")
            for (number, mask) in [mode_t(0), 0o077].enumerated() {
                umask(mask)
                try await ErrorRecorder(path: "\(path)/\(number)").recordAll([Order.late])
            }
            #expect(FileManager.default.changeCurrentDirectoryPath(path))
            let recorder = try ErrorRecorder(path: "errors.jsonl", configuration: .init(fileSize: 1))
            #expect(FileManager.default.changeCurrentDirectoryPath("/"))
            expect(await recorder.recordAll([Order.late, Order.late]).written, equals: 2)
        }
        expect(folder.names, equals: ["0", "1", "errors.jsonl", "errors.jsonl.1"])
        expect([try mode("\(folder.path)/0"), try mode("\(folder.path)/1")], equals: [0o640, 0o640])
        try Data().write(to: URL(filePath: folder.file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file)
        try await ErrorRecorder(path: folder.file).recordAll([Order.late])
        expect(try mode(folder.file), equals: 0o600)
    }

    @Test func `a full file is renamed, and the oldest file is deleted; no line is lost or split`() async throws {
        let configuration = ErrorRecorder.Configuration(fileSize: 4_000, fileCount: 3)
        let recorder = try ErrorRecorder(path: folder.file, configuration: configuration)
        let statistics = await recorder.recordAll((0..<100).map { _ in Sized(length: 500) })
        expect(statistics, equals: .init(recorded: 100, written: 100))
        expect(folder.names, equals: ["errors.jsonl", "errors.jsonl.1", "errors.jsonl.2"])
        let sequences = try RecordedFile.all(at: folder.file).map(\.sequence)
        expect(sequences, equals: Array(1...100).suffix(sequences.count))
        #expect(sequences.count >= 9)
        for name in folder.names { #expect(try RecordedFile("\(folder.path)/\(name)").text.utf8.count <= 4_000) }
        // If there is only one file, it is deleted.
        let path = "\(folder.path)/one"
        let one = try ErrorRecorder(path: path, configuration: .init(fileSize: 1, fileCount: 1))
        expect(await one.recordAll([Order.late, Order.late]).written, equals: 2)
        expect(folder.names.last, equals: "one")
        expect(try RecordedFile(path).records.map(\.sequence), equals: [2])
    }

    @Test func `a smaller number of files deletes the surplus files when the recorder opens and when it rotates`()
        async throws
    {
        for count in [6, 3, 1] {
            let configuration = ErrorRecorder.Configuration(fileSize: 2_000, fileCount: count)
            let recorder = try ErrorRecorder(path: folder.file, configuration: configuration)
            #expect(folder.names.count <= count)
            await recorder.recordAll((0..<100).map { Plain(number: $0) })
            expect(folder.names.count, equals: count)
        }
        // A file with a different name stays, and files after a gap in the numbers are found too.
        let others = ["errors.jsonl.20260531", "errors.jsonl.2.gz", "errors.jsonl.old"]
        for name in others + ["errors.jsonl.2", "errors.jsonl.7"] {
            #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: nil))
        }
        let configuration = ErrorRecorder.Configuration(fileSize: 2_000, fileCount: 2)
        let recorder = try ErrorRecorder(path: folder.file, configuration: configuration)
        expect(Set(folder.names), equals: Set(others + ["errors.jsonl"]))
        // Another recorder with a larger file count has left these files since then.
        for name in ["errors.jsonl.2", "errors.jsonl.3"] {
            #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: nil))
        }
        await recorder.recordAll((0..<100).map { Plain(number: $0) })
        expect(Set(folder.names), equals: Set(others + ["errors.jsonl", "errors.jsonl.1"]))
    }

    @Test func `of two recorders with one path, the one with fewer files decides, even if the other one is in use`()
        async throws
    {
        let more = try ErrorRecorder(path: folder.file, configuration: .init(fileSize: 1, fileCount: 9))
        for _ in 0..<9 { more.record(report(Order.late)) }
        await more.settle()
        expect(folder.names.count, equals: 9)
        try await ErrorRecorder(path: folder.file, configuration: .init(fileSize: 1, fileCount: 3)).recordAll([])
        expect(folder.names, equals: ["errors.jsonl", "errors.jsonl.1", "errors.jsonl.2"])
        expect(await more.recordAll([Order.late]).written, equals: 10)
        expect(folder.names.count, equals: 4)
    }

    @Test func `the next process continues the same file, and terminates a line that was left broken`() async throws {
        try Data(#"{"version":1,"ti"#.utf8).write(to: URL(filePath: folder.file))
        let recorder = try ErrorRecorder(path: folder.file)
        expect(try RecordedFile(folder).text, equals: #"{"version":1,"ti"# + "\n")
        await recorder.recordAll([Order.late, Order.late])
        for _ in 0..<2 { try await ErrorRecorder(path: folder.file).recordAll([Order.late, Order.late]) }
        let file = try RecordedFile(folder)
        expect(file.lines.count, equals: 7)
        #expect(file.text.hasSuffix("\n"))
        expect(file.records.map(\.sequence), equals: [1, 2, 1, 2, 1, 2])
        expect(Set(file.records.map(\.start)).count, equals: 3)
    }

    @Test func `a line that another process breaks later is terminated too, and an emptied file continues`()
        async throws
    {
        let recorder = try ErrorRecorder(path: folder.file)
        recorder.record(report(Order.late))
        await recorder.settle()
        let other = try FileHandle(forWritingTo: URL(filePath: folder.file))
        try other.seekToEnd()
        try other.write(contentsOf: Data("{\"ver".utf8))
        recorder.record(report(Order.late))
        await recorder.settle()
        expect(try RecordedFile(folder).lines.count, equals: 3)
        expect(try RecordedFile(folder).records.map(\.sequence), equals: [1, 2])
        // Truncate it, as log rotation by copying does.
        try other.truncate(atOffset: 0)
        recorder.record(report(Order.late))
        await recorder.settle()
        try other.truncate(atOffset: 10)
        expect(await recorder.recordAll([Order.late]).written, equals: 4)
        expect(try RecordedFile(folder).lines.count, equals: 2)
        expect(try RecordedFile(folder).records.map(\.sequence), equals: [4])
    }

    @Test(arguments: ["delete", "rename", "replace"])
    func `if the path names another file, the next line is in a file that a reader of the path finds`(how: String)
        async throws
    {
        let recorder = try ErrorRecorder(path: folder.file)
        recorder.record(report(Order.late))
        await recorder.settle()
        switch how {
        case "delete": try FileManager.default.removeItem(atPath: folder.file)
        case "rename": try FileManager.default.moveItem(atPath: folder.file, toPath: folder.file + ".old")
        default: try Data("of others\n".utf8).write(to: URL(filePath: folder.file), options: .atomic)
        }
        expect(await recorder.recordAll([Order.late]).written, equals: 2)
        expect(try RecordedFile(folder).records.map(\.sequence), equals: [2])
        if how == "rename" { expect(folder.names, equals: ["errors.jsonl", "errors.jsonl.old"]) }
    }

    @Test func `if the folder is deleted, lines fail until it exists again`() async throws {
        let inner = "\(folder.path)/inner"
        func make() throws { try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true) }
        try make()
        let recorder = try ErrorRecorder(path: "\(inner)/errors.jsonl")
        try FileManager.default.removeItem(atPath: inner)
        recorder.record(report(Order.late))
        await recorder.settle()
        expect(recorder.statistics, equals: .init(recorded: 1, failed: 1))
        try make()
        expect(await recorder.recordAll([Order.late]), equals: .init(recorded: 2, written: 1, failed: 1))
        expect(try RecordedFile("\(inner)/errors.jsonl").records.map(\.sequence), equals: [2])
    }

    @Test func `a file that can't be rotated grows, and no older file is deleted`() async throws {
        // A folder that isn't empty can't be replaced by renaming.
        try FileManager.default.createDirectory(atPath: "\(folder.file).2/x", withIntermediateDirectories: true)
        try Data("old\n".utf8).write(to: URL(filePath: "\(folder.file).1"))
        let configuration = ErrorRecorder.Configuration(fileSize: 100, fileCount: 3)
        let recorder = try ErrorRecorder(path: folder.file, configuration: configuration)
        expect(await recorder.recordAll([Order.late, Order.late, Order.late]).written, equals: 3)
        expect(try RecordedFile(folder).records.map(\.sequence), equals: [1, 2, 3])
        expect(try RecordedFile("\(folder.file).1").text, equals: "old\n")
        // If the older file is the same file, renaming does nothing.
        let path = "\(folder.path)/linked"
        let linked = try ErrorRecorder(path: path, configuration: .init(fileSize: 1, fileCount: 2))
        try FileManager.default.linkItem(atPath: path, toPath: "\(path).1")
        expect(await linked.recordAll([Order.late, Order.late, Order.late]).written, equals: 3)
        expect(try RecordedFile(path).records.map(\.sequence), equals: [1, 2, 3])
    }

    @Test func `recorders that rotate one file again and again don't lose lines`() async throws {
        let recorders = try (0..<4).map { _ in
            try ErrorRecorder(path: folder.file, configuration: .init(fileSize: 1, fileCount: 3))
        }
        let written = await withTaskGroup { group in
            for recorder in recorders {
                group.addTask { await recorder.recordAll((0..<150).map(Plain.init)).written }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        expect(written, equals: [150, 150, 150, 150])
        for name in folder.names { expect(try RecordedFile("\(folder.path)/\(name)").records.count, equals: 1) }
    }

    @Test func `a symbolic link is followed, and the file behind it is rotated`() async throws {
        let (link, target) = ("\(folder.path)/link", folder.file)
        try Data().write(to: URL(filePath: target))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let recorder = try ErrorRecorder(path: link, configuration: .init(fileSize: 1, fileCount: 2))
        expect(await recorder.recordAll([Order.late, Order.late]).written, equals: 2)
        expect(folder.names, equals: ["errors.jsonl", "errors.jsonl.1", "link"])
        expect(try RecordedFile(link).records.map(\.sequence), equals: [2])
        // A link to a file that doesn't exist yet creates that file.
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/early", withDestinationPath: "later")
        try await ErrorRecorder(path: "\(folder.path)/early").recordAll([Order.late])
        expect(try RecordedFile("\(folder.path)/later").records.count, equals: 1)
    }

    #if os(Linux)
        @Test func `on a full device every line fails, and no line stays pending`() async throws {
            let recorder = try ErrorRecorder(path: "/dev/full")
            expect(await recorder.recordAll((0..<200).map(Plain.init)), equals: .init(recorded: 200, failed: 200))
        }

        @Test
        func
            `a full disk fails lines that do not fit, leaves no partial line, and takes lines again when it has room`()
            async throws
        {
            // A limit on file sizes interrupts a write in the middle of a line, as a disk does that fills up. On
            // Apple's platforms, reaching the limit ends the process.
            try handOver(folder.file, as: "full disk")
            await #expect(processExitsWith: .success) {
                endIfItHangs()
                let path: String = try handedOver("full disk")
                func limit(_ size: rlim_t) {
                    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
                    var limit = rlimit()
                    _ = unsafe getrlimit(resource, &limit)
                    limit.rlim_cur = size
                    expect(unsafe setrlimit(resource, &limit), equals: 0)
                }
                let recorder = try ErrorRecorder(path: path)
                for _ in 0..<5 { recorder.record(report(Sized(length: 500))) }
                await recorder.settle()
                let size = try RecordedFile(path).text.utf8.count
                limit(rlim_t(size + 1_500))
                for _ in 0..<100 { recorder.record(report(Sized(length: 500))) }
                await recorder.settle()
                let full = recorder.statistics
                #expect(full.isBalanced)
                #expect(full.failed > 95)
                #expect((6...7).contains(full.written))
                #expect(try RecordedFile(path).isWhole)
                expect(try RecordedFile(path).records.count, equals: full.written)
                // A shorter line still fits.
                limit(rlim_t(size * 100))
                let statistics = await recorder.recordAll((0..<10).map(Plain.init))
                expect([statistics.written, statistics.failed], equals: [full.written + 10, full.failed])
                let file = try RecordedFile(path)
                #expect(file.isWhole)
                expect(file.records.map(\.sequence).suffix(10), equals: ArraySlice(106...115))
                // A descriptor that other code uses too isn't truncated: the partial line is terminated instead.
                let descriptor = unsafe open("\(path).shared", O_WRONLY | O_CREAT, 0o600)
                let shared = try ErrorRecorder(path: "/dev/fd/\(descriptor)")
                limit(300)
                shared.record(report(Sized(length: 500)))
                await shared.settle()
                limit(rlim_t(size * 100))
                expect(await shared.recordAll([Order.late]), equals: .init(recorded: 2, written: 1, failed: 1))
                expect(try RecordedFile("\(path).shared").lines.map(\.utf8.count).first, equals: 300)
                expect(try RecordedFile("\(path).shared").records.map(\.sequence), equals: [2])
            }
        }
    #endif
}
