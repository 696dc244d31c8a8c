import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("The parts that most reports don't have are in a box, and none is forgotten", .hangLimit)
struct RarePartsTests {
    private typealias Parts = ErrorReport.RareParts

    /// Parts of which one differs from its default, by its name, and a check for the difference.
    private static var single: [String: (parts: Parts, hasPart: (Parts) -> Bool)] {
        let (mark, moment) = (Gate(), Moment(.now - .seconds(1)))
        var log: PostingLog?
        PerThread.logging(atDepth: 1) { log = PostingLog.current(.ofProcess) }
        return [
            "role": (Parts(role: .notice), { $0.role == .notice }),
            "mark": (Parts(mark: mark), { $0.mark === mark }),
            "log": (Parts(log: log), { [log] in $0.log != nil && $0.log === log }),
            "table": (Parts(table: { _ in nil }), { $0.table != nil }),
            "occurrences": (Parts(occurrences: 2), { $0.occurrences == 2 }),
            "firstMoment": (Parts(firstMoment: moment), { $0.firstMoment == moment }),
        ]
    }

    @Test("parts with their default values need no box")
    func plain() {
        expectNil(Parts().boxed)
    }

    @Test("each part alone needs a box, and is in it; a new part must be added to this test")
    func alone() {
        let single = Self.single
        expect(Set(Mirror(reflecting: Parts()).children.compactMap(\.label)), equals: Set(single.keys))
        for (name, (parts, hasPart)) in single {
            #expect(!hasPart(Parts()), "\(name)")
            #expect(parts.boxed.map { hasPart($0.value) } == true, "\(name)")
        }
    }
}
