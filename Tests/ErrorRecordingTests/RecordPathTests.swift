import ErrorRouting
import Foundation
import RecordingSupport
import StandardErrorWriter
import TestSupport
import Testing

@testable import ErrorRecording

#if canImport(Darwin)
    import Darwin
#endif

@Suite("E1: lines are in the file at the path, and nowhere else", .tags(.recording1), .hangLimit)
struct RecordPathTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func make(_ names: String...) throws {
        for name in names {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
    }

    /// Makes a link in the folder point to another target, as `ln -sfn` does.
    private func link(_ name: String, to target: String) throws {
        let path = "\(folder.path)/\(name)"
        unlink(path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func unlink(_ path: String) { _ = unsafe Foundation.unlink(path) }

    /// The sequences of the records in a file of the folder.
    private func sequences(_ name: String) throws -> [Int] {
        let file = try RecordedFile("\(folder.path)/\(name)")
        #expect(file.isWhole)
        return file.records.map(\.sequence)
    }
}

extension RecordPathTests {
    @Test func `links to folders and to the file are followed for each line, and a file is rotated in its real folder`()
        async throws
    {
        try make("release-1", "release-2", "other")
        try link("current", to: "release-1")
        let recorder = try ErrorRecorder(
            path: "\(folder.path)/current/errors.jsonl", configuration: .init(fileSize: 1, fileCount: 9))
        func record() async {
            recorder.record(report(Order.late))
            recorder.record(report(Order.late))
            await recorder.settle()
        }
        await record()
        // The next release.
        try link("current", to: "release-2")
        await record()
        for (release, last) in [(1, 2), (2, 4)] {
            expect(try sequences("release-\(release)/errors.jsonl.1"), equals: [last - 1])
            expect(try sequences("release-\(release)/errors.jsonl"), equals: [last])
        }
        try FileManager.default.removeItem(atPath: "\(folder.path)/release-1")
        await record()
        expect(try sequences("release-2/errors.jsonl"), equals: [6])
        // The file is now a link. First it points to a file that doesn't exist yet.
        let file = "release-2/errors.jsonl"
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(file)")
        try link(file, to: "../other/b.jsonl")
        await record()
        expect([try sequences("other/b.jsonl.1"), try sequences("other/b.jsonl")], equals: [[7], [8]])
        // The folder is renamed, and the path reaches the same file through another folder.
        try FileManager.default.moveItem(atPath: "\(folder.path)/other", toPath: "\(folder.path)/moved")
        try link(file, to: "../moved/b.jsonl")
        await record()
        expect([try sequences("moved/b.jsonl.1"), try sequences("moved/b.jsonl")], equals: [[9], [10]])
        expect(await recorder.close(within: longTime), equals: .init(recorded: 10, written: 10))
    }

    @Test func `while the path can't be opened, lines go to the file that is already open, which isn't rotated`()
        async throws
    {
        try make("release-1/logs", "release-2")
        try link("current", to: "release-1")
        let recorder = try ErrorRecorder(
            path: "\(folder.path)/current/logs/errors.jsonl", configuration: .init(fileSize: 1, fileCount: 2))
        func record() async {
            recorder.record(report(Order.late))
            await recorder.settle()
        }
        await record()
        for target in ["nowhere", "release-2"] {
            try link("current", to: target)
            await record()
        }
        expect(try sequences("release-1/logs/errors.jsonl"), equals: [1, 2, 3])
        try make("release-2/logs")
        await record()
        expect(try sequences("release-2/logs/errors.jsonl"), equals: [4])
        // A reader would never find a deleted file, so lines fail.
        try FileManager.default.removeItem(atPath: "\(folder.path)/release-2")
        await record()
        expect(await recorder.close(within: longTime), equals: .init(recorded: 5, written: 4, failed: 1))
    }

    @Test func `if the descriptor can't be used any more, the file at the path is opened again, and no line fails`()
        async throws
    {
        try handOver(folder.file, as: "lost")
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let path: String = try handedOver("lost")
            let recorder = try ErrorRecorder(path: path)
            // Close the descriptor, as a daemon does that closes all of them at its start.
            let descriptors = (3..<1_024).filter { number(of: $0) == number(at: path) }
            expect(descriptors.count, equals: 1)
            for descriptor in descriptors { close(descriptor) }
            expect(await recorder.recordAll([Order.late]), equals: .init(recorded: 1, written: 1))
        }
        expect(try sequences("errors.jsonl"), equals: [1])
    }

    #if os(Linux)
        @Test func `a path that isn't valid UTF-8 reaches its file, which isn't rotated`() async throws {
            // The names aren't valid UTF-8, as in a folder from an old system.
            let name = "\(folder.path)/\u{1}".utf8.map { CChar(bitPattern: $0 == 1 ? 0xE9 : $0) }
            for (link, suffix) in [("to a file", ""), ("to a folder", "s")] {
                let target = name + suffix.utf8.map { CChar(bitPattern: $0) } + [0]
                if suffix.isEmpty {
                    close(unsafe open(target, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
                } else {
                    expect(unsafe mkdir(target, 0o700), equals: 0)
                }
                expect(unsafe symlink(target, "\(folder.path)/\(link)"), equals: 0)
            }
            // Another process's root folder might be a different folder.
            let root = "/proc/\(getpid())/root"
            expect(RecordPath("\(root)/nowhere").file, equals: "\(root)/nowhere")
            for path in ["to a file", "to a folder/errors.jsonl"] {
                let path = "\(folder.path)/\(path)"
                let recorder = try ErrorRecorder(path: path, configuration: .init(fileSize: 1))
                expect(await recorder.recordAll([Order.late, Order.late]).written, equals: 2, "\(path)")
                expect(try RecordedFile(path).records.map(\.sequence), equals: [1, 2])
            }
            let recorder = try ErrorRecorder(path: "\(root)\(folder.file)", configuration: .init(fileSize: 1))
            expect(await recorder.recordAll([Order.late, Order.late]).written, equals: 2)
            expect(try sequences("errors.jsonl"), equals: [1, 2])
        }
    #endif

    @Test func `recorders that reach one file by different paths don't lose lines when they rotate it`() async throws {
        try make("release-1")
        try link("current", to: "release-1")
        let recorders = try ["current", "release-1", "current/../release-1"].map { name in
            try ErrorRecorder(
                path: "\(folder.path)/\(name)/errors.jsonl", configuration: .init(fileSize: 2_000, fileCount: 500))
        }
        await withTaskGroup { group in
            for recorder in recorders {
                group.addTask { expect(await recorder.recordAll((0..<100).map(Plain.init)).written, equals: 100) }
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/release-1")
        #expect(names.count > 10)
        expect(try names.flatMap { try sequences("release-1/\($0)") }.count, equals: 300)
    }

    @Test func `lines are appended to a file that can't be read, and each recorder begins with a new line`()
        async throws
    {
        try Data("{\"ver".utf8).write(to: URL(filePath: folder.file))
        try handOver(folder.path, as: "append only")
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let folder: String = try handedOver("append only")
            let path = "\(folder)/errors.jsonl"
            expect(unsafe chmod(path, 0o200), equals: 0)
            // Root has all permissions.
            if geteuid() == 0 {
                for path in [folder, path] { expect(unsafe chown(path, 65_534, 65_534), equals: 0) }
                expect(seteuid(65_534), equals: 0)
            }
            expect(unsafe open(path, O_RDONLY), equals: -1)
            let recorder = try ErrorRecorder(path: path)
            for _ in 0..<2 {
                recorder.record(report(Order.late))
                await recorder.settle()
            }
            // Another recorder can't find out how the file ends. From then on, the first recorder can't either.
            try await ErrorRecorder(path: path).recordAll([Order.late])
            expect(await recorder.recordAll([Order.late]), equals: .init(recorded: 3, written: 3))
            // The file is renamed when it is full.
            let full = try ErrorRecorder(path: path, configuration: .init(fileSize: 1, fileCount: 2))
            expect(await full.recordAll([Order.late]).written, equals: 1)
            expect(try RecordedFile(path).records.count, equals: 1)
            expect(unsafe chmod("\(path).1", 0o600), equals: 0)
            endWithoutLeakCheck()
        }
        let file = try RecordedFile("\(folder.file).1")
        expect(file.records.map(\.sequence), equals: [1, 2, 1, 3])
        expect(file.lines.filter { !$0.hasPrefix("{\"version\"") }, equals: ["{\"ver", "", "", ""])
    }

    @Test func `if standard descriptors are closed, files don't take their numbers or receive standard error's lines`()
        async throws
    {
        try handOver(folder.file, as: "closed")
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let path: String = try handedOver("closed")
            let pipe = "\(path).pipe"
            expect(unsafe mkfifo(pipe, 0o600), equals: 0)
            let output = unsafe open("\(path).output", O_WRONLY | O_CREAT, 0o600)
            for standard in 0...2 { close(Int32(standard)) }
            // The file is rotated, so it is opened twice. Errors without a bus are written to standard error.
            let recorder = try ErrorRecorder(path: path, configuration: .init(fileSize: 1, fileCount: 2))
            let others = try [pipe, "/dev/fd/\(output)"].map { try ErrorRecorder(path: $0) }
            for _ in 0..<2 {
                recorder.record(report(Order.late))
                await recorder.settle()
                postError(Order.late)
            }
            // Only the system's libraries might have taken a number.
            let files = [path, "\(path).1", pipe, "\(path).output"].compactMap(number(at:))
            expect(files.count, equals: 4)
            for standard in Int32(0)...2 {
                let taken = number(of: standard)
                #expect(!files.contains { $0 == taken }, "\(standard)")
            }
            // Give standard error's number to a file of the program.
            while unsafe open("\(path).other", O_WRONLY | O_CREAT, 0o600) < STDERR_FILENO {}
            postError(Order.late)
            postError(Sized(length: 10_000))
            StandardError.waitUntilWritten()
            await recorder.close(within: longTime)
            for other in others { await other.close(within: longTime) }
            for file in [path, "\(path).1"] { expect(try RecordedFile(file).records.count, equals: 1) }
            expect(try RecordedFile("\(path).other").text, equals: "")
            StandardErrorStage.end()
        }
    }
}

/// The file system's number of a file; nil if there is no such file.
private func number(at path: String) -> UInt64? {
    var file = stat()
    return unsafe stat(path, &file) == 0 ? UInt64(file.st_ino) : nil
}

/// The file system's number of an open file; nil if the descriptor is closed.
private func number(of descriptor: Int32) -> UInt64? {
    var file = stat()
    return unsafe fstat(descriptor, &file) == 0 ? UInt64(file.st_ino) : nil
}
