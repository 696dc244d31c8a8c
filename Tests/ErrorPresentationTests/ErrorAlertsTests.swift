import Foundation
import TestSupport
import Testing

extension DocumentationTests {
    /// It is nested because the test doesn't depend on the optimizer or on sanitizers.
    @Suite("P2: the alerts of UIKit, run on Linux with a stand-in for UIKit", .tags(.presentation2), .hangLimit)
    struct ErrorAlertsTests {}
}

extension DocumentationTests.ErrorAlertsTests {
    @Test(
        "an alert closes with its error; an alert that was refused, or vanished with the view below, is shown again",
        .onLinux("on Darwin, UIKit itself would be needed"))
    func alerts() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "alerts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let alerts = try Markdown.text(of: "Sources/ErrorPresentation/UIKit/ErrorAlerts.swift")
        let sources = [
            "UIKit": uiKitStandIn, "Program": alertsProgram,
            "ErrorAlerts": "public import ErrorPresentation\n" + alerts,
        ]
        for (name, text) in sources {
            try text.write(to: folder.appending(path: "\(name).swift"), atomically: true, encoding: .utf8)
        }
        let modules = try BuildFolder.url(of: "Modules/ErrorRouting.swiftmodule").deletingLastPathComponent()
        let build = modules.deletingLastPathComponent()
        // Read the list of object files of these tests: the folders also contain those of deleted sources.
        let list = build.appending(path: "swift-error-busPackageTests.product/Objects.LinkFileList")
        let modulesOfProgram = ["BoundedDescriptions", "StandardErrorWriter", "ErrorRouting", "ErrorPresentation"]
        let objects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map {
            $0.trimmingCharacters(in: ["'", "\""])
        }.filter { object in modulesOfProgram.contains { object.contains("/\($0).build/") } }
        let swiftc = [
            "swiftc", "-parse-as-library", "-swift-version", "6", "-I", modules.path, "-I", folder.path, "-g",
            "-module-cache-path", build.appending(path: "ModuleCache").path,
        ]
        func file(_ name: String) -> String { folder.appending(path: name).path }
        let standIn = try await ChildProcess(
            swiftc + ["-wmo", "-emit-module", "-emit-library", "-static", "-module-name", "UIKit", file("UIKit.swift")]
                + ["-emit-module-path", file("UIKit.swiftmodule"), "-o", file("libUIKit.a")])
        try #require(standIn.status == 0, "\(standIn.output)")
        let program = try await ChildProcess(
            swiftc + ["-module-name", "Program", file("Program.swift"), file("ErrorAlerts.swift")]
                + [file("libUIKit.a")] + objects + ["-o", file("program")])
        try #require(program.status == 0, "\(program.output)")
        let run = try await ChildProcess([file("program")])
        expect(
            run.output.components(separatedBy: "\n").dropLast(),
            equals: [
                "dismissed in code:", "a", "none",
                "refused:", "none", "b", "c", "none",
                "gone with the view controller below:", "d", "over the sheet", "none", "d", "over the root", "none",
                "tried again:", "Saving", "none", "2",
            ])
    }
}
