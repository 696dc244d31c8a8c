import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("Promise 8: nsError(domain:code:) compares domain and code of `error as NSError`", .tags(.promise8), .hangLimit)
struct MatchingNSErrorTests {}

extension MatchingNSErrorTests {
    /// An error with a separate code for each value.
    private struct Coded: CustomNSError {
        static let errorDomain = "zoo.coded"
        var errorCode: Int
        var errorUserInfo: [String: Any] { ["doubled": errorCode * 2] }
    }

    private static let cases: [MatchCase] = [
        .init("a domain", .nsError(domain: "d"), NSError(domain: "d", code: 1)),
        .init("a domain, with a negative code", .nsError(domain: "d"), NSError(domain: "d", code: -5)),
        .not("a domain in capitals", .nsError(domain: "d"), NSError(domain: "D", code: 1)),
        .not("a domain that begins with it", .nsError(domain: "d"), NSError(domain: "d.sub", code: 1)),
        .init("an error's own domain and code", .nsError(domain: "zoo.coded", code: 3), Coded(errorCode: 3)),
        .not("its domain with another code", .nsError(domain: "zoo.coded", code: 3), Coded(errorCode: 4)),
        .init("a constant code", .nsError(domain: "zoo.foreign", code: 7), Zoo.Foreign()),
        .not("a code of another domain", .nsError(domain: "zoo.foreign", code: 3), Coded(errorCode: 3)),
        .init("a class's domain", .nsError(domain: "ErrorRoutingTests.Zoo.Bird"), Zoo.Bird()),
        .not("that of its superclass", .nsError(domain: "ErrorRoutingTests.Zoo.Bird"), Zoo.Animal()),
        .not("that of its subclass", .nsError(domain: "ErrorRoutingTests.Zoo.Bird"), Zoo.Owl()),
    ]

    @Test("domains are compared whole, codes are read from each error, and every class has its own domain")
    func domains() {
        for example in Self.cases { example.check() }
        for code in [1, 0, -1001, Int.max] {
            let matcher = ErrorMatcher.nsError(domain: "d", code: code)
            expect(matcher.match(NSError(domain: "d", code: code))?.code, equals: code)
            expectNil(matcher.match(NSError(domain: "d", code: code &- 1)))
            expectNil(matcher.match(NSError(domain: "e", code: code)))
        }
    }

    @Test("an NSError object is output unchanged, and the NSError of a Swift error has its user info")
    func sameObject() {
        let error = NSError(domain: "d", code: 1, userInfo: ["k": "v"])
        #expect(ErrorMatcher.nsError(domain: "d").match(error) === error)
        let special = Zoo.NSErrorSubclass(domain: "d", code: 1)
        #expect(ErrorMatcher.nsError(domain: "d", code: 1).match(special) === special)
        let cocoa = CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "/tmp/x"])
        let match = ErrorMatcher.nsError(domain: NSCocoaErrorDomain).match(cocoa)
        expect(match?.userInfo[NSFilePathErrorKey] as? String, equals: "/tmp/x")
        expect(
            ErrorMatcher.nsError(domain: "zoo.coded").match(Coded(errorCode: 4))?.userInfo["doubled"] as? Int, equals: 8
        )
    }

    @Test("URLError, CocoaError, and POSIXError match by domain and code, other Swift errors by those that Swift gives")
    func foundationErrors() {
        let errors: [(any Error, String, Int)] = [
            (URLError(.timedOut), NSURLErrorDomain, -1001),
            (CocoaError(.fileNoSuchFile), NSCocoaErrorDomain, 4),
            (POSIXError(.EACCES), NSPOSIXErrorDomain, 13),
        ]
        for (error, domain, code) in errors {
            let match = ErrorMatcher.nsError(domain: domain, code: code).match(error)
            expect(match?.domain, equals: domain)
            expect(match?.code, equals: code)
            expectNil(ErrorMatcher.nsError(domain: domain, code: code + 1).match(error))
            expectNil(ErrorMatcher.nsError(domain: "x").match(error))
        }

        let domain = String(reflecting: Zoo.Payment.self)
        let payment = ErrorMatcher.nsError(domain: domain)
        expect(domain, equals: "ErrorRoutingTests.Zoo.Payment")
        expect(payment.match(Zoo.Payment.expired)?.domain, equals: domain)
        expectNil(payment.match(Zoo.Timeout()))
        for error in [Zoo.Payment.declined(code: 5), .expired, .unavailable] {
            let code = (error as NSError).code
            expect(ErrorMatcher.nsError(domain: domain, code: code).match(error)?.code, equals: code)
            expectNil(ErrorMatcher.nsError(domain: domain, code: code + 100).match(error))
        }
        // The cases have their own codes.
        let code = (Zoo.Payment.expired as NSError).code
        expectNil(ErrorMatcher.nsError(domain: domain, code: code).match(Zoo.Payment.unavailable))
    }

    @Test("on(domain:) and ignore(domain:) match as nsError does, and the action receives the NSError")
    func verbs() async {
        let trace = ActionTrace()
        let handler = ErrorHandler()
            .on(domain: NSURLErrorDomain) { (error: NSError) in trace("domain \(error.code)") }
            .on(domain: NSURLErrorDomain, code: -1001) { (error: NSError, report) in
                trace("code \(error.code) of \(type(of: report.error))")
            }
            .ignore(domain: NSURLErrorDomain, code: -999)
            .ignore(domain: "d")
        await handler.handle(URLError(.timedOut))
        await handler.handle(NSError(domain: NSURLErrorDomain, code: -1003))
        expect(trace.entries, equals: ["code -1001 of URLError", "domain -1001", "domain -1003"])
        expect(await handler.handle(URLError(.cancelled)).disposition, equals: .ignored)
        expect(await handler.handle(NSError(domain: "d", code: 1)).disposition, equals: .ignored)
        expect(await handler.handle(Zoo.Foreign()).disposition, equals: .unmatched)
    }

    @Test("many domains and codes keep the order of their rules")
    func manyRules() async {
        let trace = ActionTrace()
        var handler = ErrorHandler()
        for number in 0..<40 {
            handler = handler.on(domain: "d\(number % 4)", code: number % 8 < 4 ? nil : number) { _ in
                trace("\(number)")
            }
        }
        await handler.handle(NSError(domain: "d1", code: 13))
        expect(trace.entries, equals: ["33", "25", "17", "13", "9", "1"])
    }
}
