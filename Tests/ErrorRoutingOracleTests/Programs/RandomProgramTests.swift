import ErrorRouting
import TestSupport
import Testing

@Suite(
    "Promises 4, 11 to 20, and 26: in random programs each accepted report has exactly one outcome",
    .tags(.promise4, .promise11, .promise13, .promise14, .promise16, .promise20, .promise26),
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
