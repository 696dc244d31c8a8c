import Foundation
import Testing

@Suite("The page on an error's way")
struct ErrorsWayTests {
    private static let sources = URL(filePath: #filePath).appending(path: "../../../../Sources/ErrorRouting")
        .standardized

    @Test("each function that it lists is declared in the file that it names")
    func listed() throws {
        let page = try String(
            contentsOf: Self.sources.appending(path: "ErrorRouting.docc/AnErrorsWay.md"), encoding: .utf8)
        let row = /\| (\d+) \| `([^`]+)` \| `([^`]+)` \|.*/
        let rows = page.matches(of: row).map(\.output)
        // As many as there were: a row that is written otherwise would be overlooked.
        #expect(rows.map(\.1) == (1...30).map { "\($0)" })
        for (_, _, declaration, file) in rows {
            let source = try String(contentsOf: Self.sources.appending(path: String(file)), encoding: .utf8)
            let lines = source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let isDeclared = lines.contains { line in
                // With the name ending there: what follows are generic parameters or the parameters.
                line.ranges(of: declaration).contains { range in
                    range.upperBound < line.endIndex && "(<[?".contains(line[range.upperBound])
                }
            }
            #expect(isDeclared, "\(declaration) is not declared in \(file)")
        }
    }
}
