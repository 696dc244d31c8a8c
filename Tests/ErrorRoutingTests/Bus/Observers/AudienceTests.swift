import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(.tags(.behaviour19))
struct AudienceTests {}

extension AudienceTests {
    private final class Listener: ReportObserver {
        let offered = Atomic(0)
        let woken = Atomic(0)
        let finished = Atomic(0)

        func offer(_ report: ErrorReport) { offered.add(1, ordering: .relaxed) }
        func wakeReader() { woken.add(1, ordering: .relaxed) }
        func finish(_ statistics: ErrorBus.Statistics) { finished.add(1, ordering: .relaxed) }
    }

    private struct Failure: Error {}

    @Test func `readers are woken once in sixty-four reports, and when the worker rests after more`() {
        let (registry, listener) = (ObserverRegistry(), Listener())
        let entry = registry.add(listener, of: nil)
        let audience = Audience(of: registry)
        for number in 1...130 {
            audience.send(ErrorReport(error: Failure(), source: .init()), of: nil)
            expect(listener.woken.load(ordering: .relaxed), equals: number / 64)
        }
        expect(listener.offered.load(ordering: .relaxed), equals: 130)
        for _ in 0..<2 { audience.wakeReaders() }
        expect(listener.woken.load(ordering: .relaxed), equals: 3)
        withExtendedLifetime(entry) {}
    }

    @Test func `a registry that has ended is empty, without its lock too, and finishes whoever comes later`() {
        let (registry, early, late) = (ObserverRegistry(), Listener(), Listener())
        let entry = registry.add(early, of: nil)
        let version = registry.version
        registry.finish(ErrorBus.Statistics())
        #expect(registry.isEmpty && registry.membersAndVersion.members.isEmpty)
        #expect(registry.version > version)
        let lateEntry = registry.add(late, of: nil)
        #expect(registry.isEmpty)
        expect([early, late].map { $0.finished.load(ordering: .relaxed) }, equals: [1, 1])
        withExtendedLifetime((entry, lateEntry)) {}
    }
}
