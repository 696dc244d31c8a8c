import Foundation
import Testing

@testable import ErrorAudit

/// A copy of the corpus and the expectations in its comments.
enum Corpus {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }.sorted()
    }

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// Returns the comments `//~ kind` and `//~ kind harmless`, each as `line kind`.
    static func marks(in text: String) -> [String] {
        text.components(separatedBy: "\n").enumerated().compactMap { index, line in
            line.firstRange(of: "//~ ").map { "\(index + 1) \(line[$0.upperBound...])" }
        }
    }
}

extension Finding {
    var mark: String { "\(line) \(kind.rawValue)\(harmless == nil ? "" : " harmless")" }
}

@Suite("The corpus")
struct CorpusTests {}

extension CorpusTests {
    @Test(arguments: try Corpus.names())
    func `each loss is found, no lookalike is, and harmless code is recognized`(_ name: String) throws {
        let text = try Corpus.text(name)
        let found = Audit().findings(in: text, path: name).sorted { $0.line < $1.line }.map(\.mark)
        #expect(found == Corpus.marks(in: text))
    }

    @Test func `has losses of every kind`() throws {
        let marks = try Corpus.names().flatMap { Corpus.marks(in: try Corpus.text($0)) }
        for kind in Kind.allCases { #expect(marks.contains { $0.contains(kind.rawValue) }, "\(kind)") }
    }
}
