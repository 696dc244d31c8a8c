import Foundation

/// What the build has put beside the tests.
enum Executable {
    struct NotFound: Error {
        let name: String
    }

    static func path(_ name: String) throws -> String {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.pathComponents.count > 1 {
            let file = folder.appending(path: name)
            if FileManager.default.isExecutableFile(atPath: file.path), !file.hasDirectoryPath { return file.path }
            folder.deleteLastPathComponent()
        }
        throw NotFound(name: name)
    }
}
