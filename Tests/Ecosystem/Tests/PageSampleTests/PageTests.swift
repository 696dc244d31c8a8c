import Foundation
import Testing

@Suite("The pages show the code that these tests run", .timeLimit(.minutes(2)))
struct PageTests {
    @Test(arguments: [("WithOpenAPI", "OpenAPISamples", 3), ("OtherLibraries", "LibrarySamples", 2)])
    func `each sample appears as a snippet on its page`(page: String, folder: String, count: Int) throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
        let catalog = root.appending(path: "Sources/ErrorRouting/ErrorRouting.docc")
        let text = try String(contentsOf: catalog.appending(path: "\(page).md"), encoding: .utf8)
        let samples = root.appending(path: "Tests/Ecosystem/Sources/\(folder)")
        let files = try FileManager.default.contentsOfDirectory(at: samples, includingPropertiesForKeys: nil)
        #expect(files.count == count)
        for file in files {
            let code = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("```swift\n\(code)```\n"), "\(file.lastPathComponent)")
        }
    }
}
