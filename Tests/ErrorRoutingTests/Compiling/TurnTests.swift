import Foundation
import TestSupport
import Testing

@Suite("Each test waits for its turn", .hangLimit)
struct TurnTests {}

extension TurnTests {
    /// Without the trait a test would run beside all others, which would be late.
    @Test("each suite has the trait that bounds how many tests run at a time, and each test is in a suite")
    func traits() throws {
        let files = Markdown.files(below: "Tests", endingIn: ".swift").filter {
            // Packages of their own, whose tests run by themselves.
            !$0.hasPrefix("Ecosystem/") && !$0.hasPrefix("Interleavings/")
        }
        let sources = try files.map { ($0, try Markdown.text(of: "Tests/\($0)").components(separatedBy: "\n")) }
        var bounded: Set<String> = []
        for (_, lines) in sources {
            for index in lines.indices where lines[index].contains("@Suite") {
                guard let end = lines[index...].firstIndex(where: { name(declaredIn: $0) != nil }) else { continue }
                let attribute = lines[index...end].joined()
                guard attribute.contains(".hangLimit") || attribute.contains(".alone") else { continue }
                bounded.insert(name(declaredIn: lines[end]) ?? "")
            }
        }
        for (file, lines) in sources {
            var container = ""
            for line in lines {
                // A type within a suite may be a suite too.
                if let name = name(declaredIn: line), !line.hasPrefix(" ") || bounded.contains(name) {
                    container = name
                } else if line.contains("@Test") {
                    #expect(bounded.contains(container), "\(file): \(line)")
                }
            }
        }
    }

    /// Returns the name of the type that a line declares or extends.
    private func name(declaredIn line: String) -> String? {
        guard line.hasSuffix("{") || line.hasSuffix("{}") else { return nil }
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return words.firstIndex { ["struct", "class", "enum", "actor", "extension"].contains($0) }.flatMap { keyword in
            words.dropFirst(keyword + 1).first.map(String.init)
        }
    }
}
