import Testing

/// Folders that the order does not mention.
@Suite("Folders without a place in the order are found", .timeLimit(.minutes(5)))
struct OrderTests {
    @Test("two folders that are not in the order and use each other are a circle, with a line each way")
    func circle() throws {
        let planted = try Planted([
            "Low/Box.swift": "struct Box {}",
            "Left/Hen.swift": """
            struct Hen {
                func lay() -> Egg? { nil }
            }
            """,
            "Right/Egg.swift": """
            struct Egg {
                let box = Box()

                func hatch() -> Hen { Hen() }
            }
            """,
        ])
        let end = try planted.judge("Low")
        #expect(end.status == 1)
        let circle = "the circle Left → Right → Left"
        let lines = [
            "Left/Hen.swift:2:19: error: \(circle): Left uses Right: Egg is declared in Sources/Right/Egg.swift:1",
            "Right/Egg.swift:4:21: error: \(circle): Right uses Left: Hen is declared in Sources/Left/Hen.swift:1",
        ]
        for line in lines { #expect(end.lines.contains("Sources/\(line)"), "\(end.output)") }
    }

    @Test("a circle through a folder that is in the order is found as well")
    func circleThroughTheOrder() throws {
        let planted = try Planted([
            "Low/Box.swift": "struct Box { var hen: Hen? }",
            "Left/Hen.swift": "struct Hen { var boxes: [Box] = [] }",
        ])
        let end = try planted.judge("Low")
        #expect(end.status == 1)
        #expect(end.lines.filter { $0.contains("the circle Left → Low → Left") }.count == 2, "\(end.output)")
    }

    @Test("a folder that has no place in the order is an error, and so is a file in no folder")
    func withoutPlace() throws {
        let planted = try Planted([
            "Low/Box.swift": "struct Box {}",
            "New/Hen.swift": "struct Hen {}",
            "New/Pig.swift": "struct Pig {}",
            "Loose.swift": "struct Loose {}",
        ])
        let end = try planted.judge("Low")
        #expect(end.status == 1)
        #expect(
            end.lines.dropLast() == [
                "Sources/Loose.swift:1:1: error: the file lies in no folder, and has no place in the order",
                "Sources/New/Hen.swift:1:1: error: folder New has no place in the order",
            ])
    }

    @Test("the largest circle of files is printed where it is asked for, and is no failure")
    func largestCircle() throws {
        let planted = try Planted([
            "Low/Hen.swift": "struct Hen { var eggs: [Egg] }",
            "Low/Egg.swift": "struct Egg { var nest: [Nest] }",
            "Low/Nest.swift": "struct Nest { var hens: [Hen] }",
            "Low/Pig.swift": "struct Pig { var hens: [Hen] }",
        ])
        let end = try planted.judge("--largest-circle", "Low")
        #expect(end.status == 0)
        let files = ["Egg", "Hen", "Nest"].map { "  Sources/Low/\($0).swift" }
        #expect(Array(end.lines.dropLast()) == files + ["largest circle: 3 files"])
    }
}
