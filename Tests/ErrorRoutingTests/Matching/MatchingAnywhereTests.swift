import ErrorRouting
import Foundation
import TestSupport
import Testing

/// Reflection is tested in `MatchingAnywhereReflectionTests`.
@Suite("Promise 9: anywhere tries the error, then its underlying errors, breadth first", .tags(.promise9), .hangLimit)
struct MatchingAnywhereTests {
    typealias Group = Zoo.Group

    private let timeout = ErrorMatcher.causedBy(Zoo.Timeout.self)

    /// An error class whose objects can refer to themselves.
    private final class Link: UnderlyingErrorsProviding, @unchecked Sendable {
        // Set once, before the link is passed to other code.
        var next: [any Error] = []
        var underlyingErrors: [any Error] { next }
    }

    /// The same error in a field, found by reflection.
    private struct MirroredLink: Error {
        let link: Link
    }

    /// An error that conforms, and has keys and a field that must not be read.
    private struct Guarded: UnderlyingErrorsProviding, CustomNSError {
        var underlyingErrors: [any Error] = []
        var field: any Error = Zoo.Timeout()
        var errorUserInfo: [String: Any] { [NSUnderlyingErrorKey: Zoo.Timeout()] }
    }

    /// An error with a key, and a field that must not be read.
    private struct Keyed: CustomNSError {
        var info: [String: any Sendable]
        var field: any Error = Zoo.Timeout()
        var errorUserInfo: [String: Any] { info }
    }

    /// Returns `count` errors wrapped in each other, of which the innermost is a `Timeout`.
    private func chain(_ count: Int) -> any Error {
        (1..<count).reduce(Zoo.Timeout() as any Error) { error, _ in Group(underlyingErrors: [error]) }
    }
}

extension MatchingAnywhereTests {
    @Test(
        "the error is tried first, then the errors that it provides, to any depth; the output is the inner error"
    )
    func itself() {
        expect(timeout.match(Zoo.Timeout(seconds: 1)), equals: Zoo.Timeout(seconds: 1))
        expectNil(timeout.match(Zoo.Offline()))
        let group = ErrorMatcher.anywhere(.type(Group.self))
        expect(group.match(Group(underlyingErrors: [Group(underlyingErrors: [])]))?.underlyingErrors.count, equals: 1)
        let inner = Group(underlyingErrors: [Zoo.Offline(), Zoo.Timeout(seconds: 3)])
        expect(timeout.match(Group(underlyingErrors: [inner])), equals: Zoo.Timeout(seconds: 3))
        expectNil(timeout.match(Group(underlyingErrors: [Zoo.Offline()])))
    }

    @Test("if an error conforms to UnderlyingErrorsProviding, or has underlying-error keys, its fields aren't read")
    func underlyingErrorsAlone() {
        expectNil(timeout.match(Guarded()))
        expect(timeout.match(Guarded(underlyingErrors: [Zoo.Timeout(seconds: 4)])), equals: Zoo.Timeout(seconds: 4))
        expectNil(timeout.match(Keyed(info: [NSUnderlyingErrorKey: Zoo.Offline()])))
        expectNil(timeout.match(Keyed(info: ["NSMultipleUnderlyingErrorsKey": [Zoo.Offline()]])))
        expect(timeout.match(Keyed(info: ["other": Zoo.Offline()])), equals: Zoo.Timeout())
    }

    @Test("NSUnderlyingErrorKey is followed if there is user info, and then NSMultipleUnderlyingErrorsKey")
    func underlyingKey() {
        let userInfo: [String: any Sendable] = [NSUnderlyingErrorKey: Zoo.Timeout(seconds: 2)]
        let errors: [any Error] = [
            NSError(domain: "d", code: 1, userInfo: userInfo),
            URLError(.timedOut, userInfo: userInfo),
            CocoaError(.fileNoSuchFile, userInfo: userInfo),
            NSError(domain: NSPOSIXErrorDomain, code: 2, userInfo: userInfo),
            Keyed(info: userInfo),
        ]
        for error in errors { expect(timeout.match(error), equals: Zoo.Timeout(seconds: 2), "\(type(of: error))") }

        let key = "NSMultipleUnderlyingErrorsKey"
        let many: [any Error] = [Zoo.Offline(), Zoo.Timeout(seconds: 2), Zoo.Timeout(seconds: 3)]
        expect(timeout.match(NSError(domain: "d", code: 1, userInfo: [key: many])), equals: Zoo.Timeout(seconds: 2))
        expect(timeout.match(Keyed(info: [key: many])), equals: Zoo.Timeout(seconds: 2))
        let both = NSError(domain: "d", code: 1, userInfo: [key: many, NSUnderlyingErrorKey: Zoo.Timeout(seconds: 1)])
        expect(timeout.match(both), equals: Zoo.Timeout(seconds: 1))
    }

    @Test("in Foundation's errors, only errors in their user info are found, not even an NSError that one stores")
    func foundation() {
        for error in [URLError(.timedOut), CocoaError(.fileNoSuchFile), POSIXError(.ENOENT)] as [any Error] {
            expect(ErrorReport(error: error, source: .init()).trail, equals: [])
            #if !canImport(Darwin)
                // On Apple's platforms the error itself is an NSError.
                expectNil(ErrorMatcher.anywhere(.type(NSError.self)).match(error))
                expectNil(ErrorMatcher.anywhere(.type(NSError.self)).match(Zoo.Wrapped(content: error)))
            #endif
        }
        let error = URLError(.timedOut, userInfo: [NSUnderlyingErrorKey: Zoo.Timeout(seconds: 2)])
        expect(ErrorReport(error: error, source: .init()).trail.map(\.message), equals: ["Timeout(seconds: 2)"])
    }

    @Test("an NSError wrapped in an error is bridged to the three types, as it would be alone")
    func bridgedUnderneath() {
        let outer = Group(underlyingErrors: [NSError(domain: NSURLErrorDomain, code: -1001)])
        expect(ErrorMatcher.anywhere(.type(URLError.self)).match(outer)?.code, equals: .timedOut)
        expect(ErrorMatcher.anywhere(.nsError(domain: NSURLErrorDomain)).match(outer)?.code, equals: -1001)
        expectNil(ErrorMatcher.anywhere(.type(CocoaError.self)).match(outer))
    }

    @Test("errors are tried breadth first: all errors of one depth, in order, before the next depth")
    func breadthFirst() {
        let deep = Group(underlyingErrors: [Group(underlyingErrors: [Zoo.Timeout(seconds: 3)])])
        let shallow = Group(underlyingErrors: [Zoo.Timeout(seconds: 2)])
        expect(timeout.match(Group(underlyingErrors: [deep, shallow])), equals: Zoo.Timeout(seconds: 2))
        let order = ActionTrace()
        let names = ErrorMatcher.anywhere(
            .type(Zoo.Animal.self).where { order($0.name) == .stop }
        )
        let tree = Group(underlyingErrors: [
            Group(underlyingErrors: [Zoo.Animal("c"), Group(underlyingErrors: [Zoo.Animal("e")])]),
            Zoo.Animal("a"),
            Group(underlyingErrors: [Zoo.Animal("d")]),
            Zoo.Animal("b"),
        ])
        expectNil(names.match(tree))
        expect(order.entries, equals: ["a", "b", "c", "d", "e"])
    }

    @Test("at most 64 errors are visited, including the outermost, even if a tree is endless")
    func bound() {
        expect(timeout.match(chain(64)), equals: Zoo.Timeout())
        expectNil(timeout.match(chain(65)))
        let offline = [any Error](repeating: Zoo.Offline(), count: 62)
        expect(timeout.match(Group(underlyingErrors: offline + [Zoo.Timeout()])), equals: Zoo.Timeout())
        expectNil(timeout.match(Group(underlyingErrors: offline + [Zoo.Offline(), Zoo.Timeout()])))

        let (link, visits) = (Link(), ActionTrace())
        link.next = (0..<100).map { _ in Group(underlyingErrors: [link, Zoo.Offline()]) }
        let never = ErrorMatcher.anywhere(.predicate { _ in visits("visit") == .stop })
        expectNil(never.match(link))
        expect(visits.entries.count, equals: 64)
        link.next = []
    }

    @Test("a cycle ends, each of its objects is tried once, and errors that are attached to it are found")
    func cycles() {
        let (one, two) = (Link(), Link())
        (one.next, two.next) = ([two], [one])
        expectNil(timeout.match(one))
        two.next = [one, two, Zoo.Timeout(seconds: 7)]
        expect(timeout.match(one), equals: Zoo.Timeout(seconds: 7))
        one.next = [MirroredLink(link: two)]
        two.next = [MirroredLink(link: one)]
        expectNil(timeout.match(one))
        expectNil(timeout.match(MirroredLink(link: one)))

        let visits = ActionTrace()
        (one.next, two.next) = ([two, two], [one])
        let never = ErrorMatcher.anywhere(.type(Link.self).where { _ in visits("visit") == .stop })
        expectNil(never.match(one))
        expect(visits.entries.count, equals: 2)
        (one.next, two.next) = ([], [])
    }

    @Test("the action receives the inner match, and its report has the outer error")
    func report() async {
        let trace = ActionTrace()
        let handler = ErrorHandler().on(matching: .anywhere(.type(Zoo.Timeout.self))) { error, report in
            trace("\(error.seconds) in \(type(of: report.error))")
        }
        let outer = Group(underlyingErrors: [Zoo.Timeout(seconds: 5)])
        await handler.handle(outer)
        _ = handler.handleSynchronously(outer)
        expect(trace.entries, equals: ["5 in Group", "5 in Group"])
    }

    @Test(
        "anywhere can be nested, negated, and combined: an inner one searches the found error's causes, at any depth"
    )
    func nested() {
        let outer = Group(underlyingErrors: [Zoo.Offline(), Zoo.Timeout(seconds: 5)])
        expect(ErrorMatcher.anywhere(timeout).match(outer), equals: Zoo.Timeout(seconds: 5))
        expectNil((!timeout).match(outer))
        #expect((!timeout).match(Zoo.Offline()) is Zoo.Offline)
        // Some error in it doesn't match: the outer error is the first of these.
        #expect(ErrorMatcher.anywhere(!.type(Zoo.Timeout.self)).match(outer) is Group)
        // Within one `anywhere` both must match the same error; within two they needn't.
        let both = ErrorMatcher.type(Zoo.Timeout.self) && .type(Zoo.Offline.self)
        expectNil(ErrorMatcher.anywhere(both).match(outer))
        expect((timeout && .anywhere(.type(Zoo.Offline.self))).match(outer), equals: Zoo.Timeout(seconds: 5))

        let link = Link()
        link.next = [chain(5)]
        let linked = ErrorMatcher.anywhere(.type(Link.self) && timeout)
        #expect(linked.match(Group(underlyingErrors: [Zoo.Offline(), link])) === link)

        let single = ErrorMatcher.type(Group.self).where { $0.underlyingErrors.count == 1 }
        let holders = ErrorMatcher.anywhere(single && timeout)
        let with = Group(underlyingErrors: [Zoo.Timeout()])
        let without = Group(underlyingErrors: [Zoo.Offline()])
        #expect(holders.match(Group(underlyingErrors: [Zoo.Offline(), with])) != nil)
        expectNil(holders.match(Group(underlyingErrors: [Zoo.Timeout(), without])))
    }
}
