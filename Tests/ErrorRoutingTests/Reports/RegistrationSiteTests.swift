import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("Promise 5: each rule stores where it was registered", .tags(.promise5), .hangLimit)
struct RegistrationSiteTests {}

extension RegistrationSiteTests {
    /// The line of a handler's only rule must be the line on which the rule was written.
    private func expectSites(_ handlers: [(ErrorHandler, UInt)]) {
        for (handler, line) in handlers {
            let sources = handler.explain(Zoo.Offline()).entries.map(\.rule.source)
            expect(sources, equals: [.init(fileID: #fileID, line: line)])
        }
    }

    @Test("every verb, even a map's, stores file and line in all forms and shapes")
    func on() {
        let (new, error) = (ErrorHandler(), Zoo.Timeout())
        expectSites([
            (new.on(matching: .any) { _ in .stop }, #line),
            (new.on(matching: .any) { _, _ in .stop }, #line),
            (new.on(matching: .any) { _ in await suspended(.stop) }, #line),
            (new.on(matching: .any) { _, _ in await suspended(.stop) }, #line),
            (new.on(Zoo.Timeout.self) { _ in .stop }, #line),
            (new.on(Zoo.Timeout.self) { _, _ in .stop }, #line),
            (new.on(Zoo.Timeout.self) { _ in await suspended(.stop) }, #line),
            (new.on(Zoo.Timeout.self) { _, _ in await suspended(.stop) }, #line),
            (new.on(error) { _ in .stop }, #line),
            (new.on(error) { _, _ in .stop }, #line),
            (new.on(error) { _ in await suspended(.stop) }, #line),
            (new.on(error) { _, _ in await suspended(.stop) }, #line),
            (new.on(domain: "d") { _ in .stop }, #line),
            (new.on(domain: "d") { _, _ in .stop }, #line),
            (new.on(domain: "d") { _ in await suspended(.stop) }, #line),
            (new.on(domain: "d", code: 1) { _, _ in await suspended(.stop) }, #line),
        ])
        expectSites([
            (new.ignore(matching: .any), #line),
            (new.ignore(Zoo.Timeout.self), #line),
            (new.ignore(error), #line),
            (new.ignore(domain: "d"), #line),
            (new.ignore(domain: "d", code: 1), #line),
            (new.onNoMatch { _ in .stop }, #line),
            (new.onNoMatch { _, _ in .stop }, #line),
            (new.onNoMatch { _ in await suspended(.stop) }, #line),
            (new.onNoMatch { _, _ in await suspended(.stop) }, #line),
            (new.always { _ in .stop }, #line),
            (new.always { _, _ in .stop }, #line),
            (new.always { _ in await suspended(.stop) }, #line),
            (new.always { _, _ in await suspended(.stop) }, #line),
        ])
        let none = ErrorMap(default: 0)
        let maps: [(ErrorMap<Int>, UInt)] = [
            (none.on(matching: .any, 1), #line),
            (none.on(matching: .any) { _ in 1 }, #line),
            (none.on(Zoo.Timeout.self, 1), #line),
            (none.on(Zoo.Timeout.self) { _ in 1 }, #line),
            (none.on(Zoo.Timeout(), 1), #line),
            (none.on(Zoo.Timeout()) { _ in 1 }, #line),
            (none.on(domain: "d", 1), #line),
            (none.on(domain: "d", code: 1) { _ in 1 }, #line),
        ]
        for (map, line) in maps { #expect(map.description.contains(" at \(#fileID):\(line)\n")) }
    }

    @Test("each verb in a chain stores its own line, or the site that is passed")
    func chain() {
        let line: UInt = #line
        let handler = ErrorHandler()
            .on(Zoo.Timeout.self) { _ in
                await suspended(.stop)
            }
            .ignore(domain: "d")
            .onNoMatch { _ in .stop }
            .always { _ in .stop }
        let lines = handler.explain(Zoo.Offline()).entries.map(\.rule.source.line)
        expect(lines, equals: [line + 5, line + 2, line + 6, line + 7])

        let given = ErrorHandler()
            .on(matching: .any, fileID: "Rules/A.swift", line: 1) { _ in .stop }
            .on(Zoo.Timeout.self, fileID: "Rules/B.swift", line: 2) { _ in .stop }
            .ignore(domain: "d", fileID: "Rules/C.swift", line: 3)
            .onNoMatch(fileID: "Rules/D.swift", line: 4) { _ in .stop }
            .always(fileID: "Rules/E.swift", line: 5) { _ in .stop }
        let sources = given.explain(Zoo.Offline()).entries.map(\.rule.source.description)
        expect(
            sources,
            equals: ["Rules/C.swift:3", "Rules/B.swift:2", "Rules/A.swift:1", "Rules/D.swift:4", "Rules/E.swift:5"]
        )
    }
}

/// Returns the strategy in an asynchronous context.
private func suspended(_ strategy: HandleStrategy) async -> HandleStrategy {
    await Task.yield()
    return strategy
}
