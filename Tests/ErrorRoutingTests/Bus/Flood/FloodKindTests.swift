import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(
    "Promise 20: errors of one type, code, posting line, and path of scopes are of one kind", .tags(.promise20),
    .hangLimit)
struct FloodKindTests {}

extension FloodKindTests {
    @Test("types and an enum's cases are separate kinds; fields and payloads don't count")
    func types() {
        expect(kind(Zoo.Timeout(seconds: 1)), equals: kind(Zoo.Timeout(seconds: 2)))
        expect(kind(Zoo.Owl("a")), equals: kind(Zoo.Owl("b")))
        expectApart([Zoo.Timeout(), Zoo.Offline(), Zoo.Animal(), Zoo.Bird(), Zoo.Owl()])
        expectApart([Zoo.Box(content: 1), Zoo.Box(content: true)])
        expect(kind(Zoo.Payment.declined(code: 1)), equals: kind(Zoo.Payment.declined(code: 2)))
        expectApart([Zoo.Payment.declined(code: 1), Zoo.Payment.expired, Zoo.Payment.unavailable])
    }

    @Test("domain and code count, for NSErrors, Foundation's errors, and CustomNSErrors; the user info doesn't")
    func nsErrors() {
        let error = NSError(domain: "a", code: 1)
        expect(kind(error), equals: kind(NSError(domain: "a", code: 1, userInfo: ["key": "value"])))
        expectApart([error, NSError(domain: "a", code: 2), NSError(domain: "b", code: 1)])
        expectApart([error, Zoo.NSErrorSubclass(domain: "a", code: 1)])
        let code = FloodKind.code(of: error)
        expect(code.number, equals: 1)
        expect(code.domain, equals: "a")
        expect(kind(Zoo.Foreign(errorCode: 1)), equals: kind(Zoo.Foreign(errorCode: 1)))
        expectApart([Zoo.Foreign(errorCode: 1), Zoo.Foreign(errorCode: 2)])
        expect(FloodKind.code(of: Zoo.Foreign(errorCode: 7)).number, equals: 7)
        let userInfo = [NSLocalizedDescriptionKey: "text"]
        expect(kind(URLError(.timedOut)), equals: kind(URLError(.timedOut, userInfo: userInfo)))
        expectApart([URLError(.timedOut), URLError(.cancelled), CocoaError(.fileNoSuchFile), POSIXError(.EPERM)])
        expectApart([CocoaError(.fileNoSuchFile), CocoaError(.fileReadNoSuchFile)])
        expectApart([POSIXError(.EPERM), POSIXError(.ENOENT)])
        for error in [URLError(.timedOut), CocoaError(.fileNoSuchFile), POSIXError(.ENOENT)] as [any Error] {
            let (code, foundation) = (FloodKind.code(of: error), error as NSError)
            expect(code.number, equals: foundation.code)
            expect(code.domain, equals: foundation.domain)
            expect(kind(error), equals: kind(foundation))
        }
    }

    @Test("the path of scopes counts, and so do posting line and file; equal fingerprints have equal hashes")
    func scopes() {
        let error = Zoo.Timeout()
        expect(kind(error, in: ["a", "b"]), equals: kind(error, in: ["a", "b"]))
        expect(Set([[], ["a"], ["b"], ["a", "b"]].map { kind(error, in: $0) }).count, equals: 4)

        let here = kind(error, "M/A.swift", 1)
        expect(here, equals: kind(error, "M/A.swift", 1))
        #expect(here != kind(error, "M/A.swift", 2))
        #expect(here != kind(error, "M/B.swift", 1))

        var counts: [FloodKind: Int] = [:]
        for number in 0..<300 {
            let errors: [any Error] = [
                Zoo.Payment.declined(code: number), Zoo.Payment.expired, NSError(domain: "a", code: number % 2),
            ]
            counts[kind(errors[number % 3], "M/A.swift", UInt(number % 5)), default: 0] += 1
        }
        expect(counts.count, equals: 20)
        expect(counts.values.reduce(0, +), equals: 300)
    }

    private func kind(
        _ error: any Error, _ file: String = "M/A.swift", _ line: UInt = 1, in scope: [String] = []
    ) -> FloodKind {
        FloodKind(FloodKind.code(of: error), at: .init(fileID: file, line: line), in: scope)
    }

    private func expectApart(_ errors: [any Error], line: Int = #line) {
        expect(Set(errors.map { kind($0) }).count, equals: errors.count, line: line)
    }
}
