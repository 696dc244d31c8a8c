import Testing

/// The index must not be older than the sources.
@Suite("The index counts what sources say now, not what they said before", .timeLimit(.minutes(5)))
struct IndexTests {
    static let sources = [
        "Low/Box.swift": "struct Box {}",
        "Low/Crate.swift": "struct Crate { var shop: Shop? }",
        "High/Shop.swift": "struct Shop { var box: Box? }",
    ]

    @Test("what a file said that has been moved or deleted since does not count")
    func leftovers() throws {
        let planted = try Planted(Self.sources)
        #expect(try planted.judge("Low", "High").status == 1)
        try planted.remove("Low/Crate.swift")
        #expect(try planted.judge("Low", "High").status == 0)
        try planted.write("struct Crate { var shop: Shop? }", to: "High/Crate.swift")
        try planted.compile()
        #expect(try planted.judge("Low", "High").status == 0)
        #expect(try planted.judge("High", "Low").status == 1)
    }

    @Test("of two compilations of a file the later one counts")
    func newest() throws {
        let planted = try Planted(Self.sources)
        try planted.write("struct Crate {}", to: "Low/Crate.swift")
        try planted.compile(to: "other")
        #expect(try planted.judge("Low", "High").status == 0)
        try planted.write("struct Crate { var shop: Shop? }", to: "Low/Crate.swift")
        try planted.compile()
        #expect(try planted.judge("Low", "High").status == 1)
    }

    @Test("without an index nothing is judged, and it is said how to get one")
    func noIndex() throws {
        let planted = try Planted(Self.sources)
        let end = try planted.run(arguments: ["--sources", "Sources", "--index", "nowhere", "Low", "High"])
        #expect(end.status == 66)
        #expect(end.lines.first == "there is no index at nowhere")
        #expect(end.output.contains("swift build"))
    }

    @Test("a file that the index does not have, or has in an older form, is not passed over")
    func outdated() throws {
        let planted = try Planted(Self.sources)
        try planted.touch("Low/Box.swift")
        let touched = try planted.judge("Low", "High")
        #expect(touched.status == 66)
        #expect(touched.lines.first == "Sources/Low/Box.swift has changed since it was indexed")
        try planted.write("struct Bag {}", to: "Low/Bag.swift")
        let added = try planted.judge("Low", "High")
        #expect(added.status == 66)
        #expect(added.lines.first == "the index does not have Sources/Low/Bag.swift")
    }

    @Test(
        "what is no request is answered with the usage",
        arguments: [
            [], ["Low"], ["--sources", "Sources", "--index", "index"], ["--sources", "Sources", "Low", "--index"],
            ["--sources", "Sources", "--index", "index", "--what", "Low"],
            ["--sources", "Sources", "--index", "index", "Low", "Low"],
            ["--sources", "Sources", "--index", "index", "Low", "Missing"],
        ])
    func usage(_ arguments: [String]) throws {
        let planted = try Planted(["Low/Box.swift": "struct Box {}"])
        let end = try planted.run(arguments: arguments)
        #expect(end.status == 64)
        #expect(end.output.contains("usage: layering "))
    }
}
