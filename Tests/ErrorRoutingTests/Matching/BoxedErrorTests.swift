import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("Promise 23: every feature sees the error in the innermost box", .tags(.promise23), .hangLimit)
struct BoxedErrorTests {}

extension BoxedErrorTests {
    /// The entry points of a handler.
    enum Door: CaseIterable {
        case handle, handleSynchronously, post, deliver, scope

        func callAsFunction(_ error: any Error, _ handler: ErrorHandler) async {
            switch self {
            case .handle: await handler.handle(error)
            case .handleSynchronously: if handler.handleSynchronously(error) == nil { await handler.handle(error) }
            case .post: await withErrorBus(handler: handler) { $0.post(error) }
            case .deliver: await withErrorBus(handler: handler) { bus in _ = await bus.deliver(error) }
            case .scope:
                await withErrorBus(handler: ErrorHandler()) { $0.scope("inner", handler: handler).post(error) }
            }
        }
    }

    @Test(
        "matchers see the same error at every entry point, alone or wrapped, and maps return the same value",
        arguments: Boxing.allCases, BoxedErrorSpecimen.all)
    func features(boxing: Boxing, specimen: BoxedErrorSpecimen) async {
        let journal = Journal<String>()
        let error = await boxing(specimen.error)
        for (feature, handler) in specimen.matching(journal) {
            for door in Door.allCases {
                let before = journal.entries.count
                await door(error, handler)
                expect(journal.entries.dropFirst(before), equals: [specimen.mark], "\(feature), \(door)")
            }
        }

        expect(specimen.map[error], equals: specimen.mark)

        expect(ErrorMatcher.conforming(to: (any Marked).self).match(error)?.mark, equals: specimen.mark)
        expect(ErrorMatcher.any.match(error).map { "\(type(of: $0))" }, equals: "\(type(of: specimen.error))")
        #expect(ErrorMatcher<NSError>.nsError(domain: (specimen.error as NSError).domain) ~= error)

        let marked = ErrorMatcher.anywhere(.conforming(to: (any Marked).self).where { $0.mark == specimen.mark })
        let holders: [any Error] = [
            BoxHolder(inner: error), Zoo.Group(underlyingErrors: [error]), Zoo.Failure.failed(code: 1, reason: error),
            CocoaError(.fileNoSuchFile, userInfo: [NSUnderlyingErrorKey: error]),
        ]
        for holder in holders { expect(marked.match(await boxing(holder))?.mark, equals: specimen.mark) }
    }

    @Test("the printed line, trail, and explanation are the same", arguments: Boxing.allCases, BoxedErrorSpecimen.all)
    func texts(boxing: Boxing, specimen: BoxedErrorSpecimen) async {
        let error = await boxing(specimen.error)
        func line(_ error: any Error) -> String {
            ErrorReport(error: error, source: .init(fileID: "Intake/Main.swift", line: 1)).description
        }
        expect(line(error), equals: line(specimen.error))
        #expect(line(await boxing(BoxHolder(inner: error))).contains(" trail="))
        let trails = [error, specimen.error].map { inner in
            ErrorReport(error: Zoo.Group(underlyingErrors: [inner]), source: .init()).trail
        }
        expect(trails[0], equals: trails[1])
        for (_, handler) in specimen.matching(Journal()) {
            expect(handler.explain(error).description, equals: handler.explain(specimen.error).description)
            let scope = ErrorBus(handler: .init()).scope("inner", handler: handler)
            expect(scope.explain(error).description, equals: scope.explain(specimen.error).description)
        }
    }

    @Test("a flood limit gives a boxed error the same kind")
    func floodLimit() async {
        let errors = [BoxedErrors.Coded(), await Boxing.threeTimes(BoxedErrors.Coded())] as [any Error]
        let configuration = ErrorBus.Configuration(floodLimit: FloodLimit(first: 1, per: .seconds(600)))
        let journal = Journal<Int>()
        let handler = ErrorHandler().always { _, report in
            journal.note(report.occurrences)
            return .next
        }
        await withErrorBus(handler: handler, configuration: configuration) { bus in
            for error in errors + errors { bus.post(error) }
        }
        expect(journal.entries, equals: [1, 3])
    }

    @Test("a failure carries its action's error unboxed, and so does its report")
    func failures() async {
        let handler = ErrorHandler().on(BoxedErrors.Coded.self) { _ in throw await Boxing.threeTimes(Zoo.Offline()) }
        let outcome = await handler.handle(await Boxing.continuation(BoxedErrors.Coded()))
        let failure = outcome.failures.first
        #expect(failure?.error is Zoo.Offline)
        expect(failure.map { ErrorMatcher.anywhere(.type(Zoo.Offline.self)) ~= $0 }, equals: true)
        expect(failure.map { "\($0)".contains("Coded(code: 7)") }, equals: true)
    }
}
