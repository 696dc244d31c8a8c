import ErrorRouting
import TestSupport
import Testing

@Suite(
    "Behaviours 4, 11 to 20 and 26: in random programs each accepted report reaches exactly one end",
    .tags(.behaviour4, .behaviour11, .behaviour13, .behaviour14, .behaviour16, .behaviour20, .behaviour26),
    .hangLimit(minutes: 60))
struct RandomProgramTests {}

extension RandomProgramTests {
    /// The number of programs in one case.
    private static let size = 250

    @Test(
        "the counts equal what observers, the last resort, and shutdown received, whenever the bus ends",
        arguments: 0..<(isLong ? 1_000 : 12))
    func laws(part: Int) async {
        for seed in part * Self.size..<(part + 1) * Self.size {
            let run = ProgramRun(Program(seed: seed))
            let left = await run.run()
            run.expectLaws(left)
        }
    }
}
