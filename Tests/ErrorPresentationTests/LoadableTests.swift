import ErrorPresentation
import TestSupport
import Testing

@Suite("P1: a loadable is one state", .tags(.presentation1))
struct LoadableTests {}

extension LoadableTests {
    private enum Broken: Error, Equatable { case once, twice }

    @Test("it has a value, an error, or neither, never two of them")
    func parts() {
        let states: [Loadable<Int, Broken>] = [.idle, .loading, .failed(.once), .loaded(1)]
        expect(states.map(\.value), equals: [nil, nil, nil, 1])
        expect(states.map(\.error), equals: [nil, nil, .once, nil])
        expect(states.map(\.isLoading), equals: [false, true, false, false])
    }

    @Test("map changes what was loaded and leaves the other states, and throws what its closure throws")
    func map() throws {
        let states: [Loadable<Int, Broken>] = [.idle, .loading, .failed(.once), .loaded(1)]
        expect(states.map { $0.map { "\($0)" } }, equals: [.idle, .loading, .failed(.once), .loaded("1")])
        #expect(throws: Broken.twice) {
            try Loadable<Int, Broken>.loaded(1).map { (_) throws(Broken) -> Int in throw .twice }
        }
        #expect(try Loadable<Int, Broken>.idle.map { (_) throws(Broken) -> Int in throw .twice } == .idle)
    }

    @Test("an empty list is loaded, and matched by its pattern")
    func emptyList() {
        func text(_ state: Loadable<[Int], any Error>) -> String {
            switch state {
            case .idle: "idle"
            case .loading: "loading"
            case .failed: "failed"
            case .loaded([]): "nothing there"
            case .loaded(let items): "\(items.count) there"
            }
        }
        expect(text(.loaded([])), equals: "nothing there")
        expect(text(.loaded([1, 2])), equals: "2 there")
        expect(text(.failed(Broken.once)), equals: "failed")
    }

    @Test("states are equal where their payloads are")
    func equality() {
        #expect(Loadable<Int, Broken>.loaded(1) == .loaded(1))
        #expect(Loadable<Int, Broken>.loaded(1) != .loaded(2))
        #expect(Loadable<Int, Broken>.failed(.once) != .failed(.twice))
        #expect(Loadable<Int, Broken>.idle != .loading)
    }

    @Test("it is Sendable where its value is")
    func sendability() {
        func check(_: (some Sendable).Type) {}
        check(Loadable<Int, Broken>.self)
        check(Loadable<[String], any Error>.self)
    }
}
