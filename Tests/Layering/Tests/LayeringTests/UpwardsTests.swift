import Testing

/// Plants uses of upper folders below, and expects each to be found at its line.
@Suite("Dependencies upwards are found at their lines", .timeLimit(.minutes(5)))
struct UpwardsTests {
    static let shop = """
        struct Shop {
            let name: String
            static let first = Shop(name: "first")
        }
        """

    @Test("folders that use those below them are clean, whatever they put on top of them")
    func clean() throws {
        let planted = try Planted([
            "Low/Box.swift": """
            struct Box {
                var count: Int
                func tell(_ reader: some Reader) { reader.read(self) }
            }
            protocol Reader { func read(_ box: Box) }
            """,
            "Middle/Box+Twice.swift": "extension Box { var twice: Int { count * 2 } }",
            "High/Counter.swift": "struct Counter: Reader { func read(_ box: Box) { print(box.twice) } }",
            "High/Deeper/Shop.swift": "func count() { Box(count: 1).tell(Counter()) }",
        ])
        let end = try planted.judge("Low", "Middle", "High")
        #expect(end.status == 0, "\(end.output)")
        #expect(end.lines.last?.hasPrefix("4 files, ") == true)
        #expect(end.lines.last?.hasSuffix(" uses, 3 folders: downwards only") == true)
    }

    @Test("a type that is used from below is found, with the line that uses it and the one that declares it")
    func type() throws {
        let planted = try Planted([
            "Low/Box.swift": """
            struct Box {
                var shop: Shop?
            }
            """,
            "High/Deeper/Shop.swift": Self.shop,
        ])
        let end = try planted.judge("Low", "High")
        #expect(end.status == 1)
        #expect(
            end.lines.first == """
                Sources/Low/Box.swift:2:15: error: Low must not use High: \
                Shop is declared in Sources/High/Deeper/Shop.swift:1
                """)
        #expect(end.lines.last?.hasSuffix("; errors: 1") == true)
    }

    @Test("what an extension above declares is above, though its type is below")
    func extensionAbove() throws {
        let planted = try Planted([
            "Low/Box.swift": """
            struct Box {}
            func pack(_ box: Box) {
                box.send()
                print(box.weight + (box ~> box))
            }
            """,
            "High/Box+Sending.swift": """
            infix operator ~>
            extension Box {
                func send() {}
                var weight: Int {
                    1
                }
                static func ~> (first: Box, second: Box) -> Int { 2 }
            }
            """,
        ])
        let end = try planted.judge("Low", "High")
        #expect(end.status == 1)
        let expected = ["3:9", "4:15", "4:29"].map { "Sources/Low/Box.swift:\($0): error: Low must not use High: " }
        #expect(end.lines.dropLast().map { line in expected.first { line.hasPrefix($0) } } == expected)
        #expect(end.lines[0].hasSuffix("send() is declared in Sources/High/Box+Sending.swift:3"))
        #expect(end.lines[1].hasSuffix("weight is declared in Sources/High/Box+Sending.swift:4"))
        #expect(end.lines[2].hasSuffix("~>(_:_:) is declared in Sources/High/Box+Sending.swift:7"))
    }

    @Test("what the compiler synthesizes belongs to its type, also where the type is not named")
    func synthesized() throws {
        let planted = try Planted([
            "Low/Box.swift": """
            func word() -> String { one.rawValue }
            func kinds() -> Int { count(.init(rawValue: "one")) }
            """,
            "High/Kind.swift": """
            enum Kind: String { case one }
            """,
            "High/One.swift": "let one = Kind.one",
            "High/Count.swift": "func count(_ kind: Kind?) -> Int { 1 }",
        ])
        let end = try planted.judge("Low", "High")
        #expect(end.status == 1)
        let upwards = "Low must not use High"
        let declaration = "is declared in Sources/High/Kind.swift:1"
        for use in ["1:29: error: \(upwards): rawValue", "2:30: error: \(upwards): init(rawValue:)"] {
            #expect(end.lines.contains("Sources/Low/Box.swift:\(use) \(declaration)"), "\(end.output)")
        }
    }

    @Test("a conformance below is not to be met by what only a folder above has")
    func witness() throws {
        let planted = try Planted([
            "Low/Reader.swift": "protocol Reader { func read() }",
            "Low/Box.swift": "struct Box: Reader {}",
            "High/Reader+Default.swift": "extension Reader { func read() {} }",
        ])
        let end = try planted.judge("Low", "High")
        #expect(end.status == 1)
        #expect(end.lines.first?.hasPrefix("Sources/Low/Box.swift:1:8: error: Low must not use High: read()") == true)
    }
}
