import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite(
    "Promise 6: NSErrors of three domains become Swift types, and no Swift error becomes an NSError",
    .tags(.promise6), .hangLimit)
struct MatchingBridgeTests {}

extension MatchingBridgeTests {
    private func nsError(_ domain: String, _ code: Int, _ userInfo: [String: Any] = [:]) -> any Error {
        NSError(domain: domain, code: code, userInfo: userInfo)
    }

    @Test("an NSError of each of the three domains matches the domain's type, with its code and user info")
    func threeDomains() throws {
        let key = "NSErrorFailingURLStringKey"
        let loading = nsError(NSURLErrorDomain, URLError.Code.timedOut.rawValue, [key: "https://example.org"])
        let url = try #require(ErrorMatcher.type(URLError.self).match(loading))
        expect(url.code, equals: .timedOut)
        expect(url.errorUserInfo[key] as? String, equals: "https://example.org")

        let file = nsError(NSCocoaErrorDomain, CocoaError.Code.fileNoSuchFile.rawValue, [NSFilePathErrorKey: "/tmp/x"])
        let cocoa = try #require(ErrorMatcher.type(CocoaError.self).match(file))
        expect(cocoa.code, equals: .fileNoSuchFile)
        expect(cocoa.errorUserInfo[NSFilePathErrorKey] as? String, equals: "/tmp/x")

        let system = nsError(NSPOSIXErrorDomain, Int(POSIXErrorCode.ENOENT.rawValue), ["k": "v"])
        let posix = try #require(ErrorMatcher.type(POSIXError.self).match(system))
        expect(posix.code, equals: .ENOENT)
        #if !os(Linux)
            // Here, `POSIXError` has no user info, however it is created.
            expect((posix as NSError).userInfo["k"] as? String, equals: "v")
        #endif
    }

    @Test("each of the three types matches only NSErrors of its own domain, even if a cast succeeds")
    func ownDomainAlone() {
        let domains = [NSURLErrorDomain, NSCocoaErrorDomain, NSPOSIXErrorDomain, "x", ""]
        // The number 4 is a code in both Cocoa and POSIX, and -1001 is a code of URL loading.
        let errors = domains.flatMap { domain in [4, -1001].map { nsError(domain, $0) } }
        let urls = errors.filter { ErrorMatcher.type(URLError.self).match($0) != nil }
        let cocoas = errors.filter { ErrorMatcher.type(CocoaError.self).match($0) != nil }
        let posixes = errors.filter { ErrorMatcher.type(POSIXError.self).match($0) != nil }
        expect(Set(urls.map { ($0 as NSError).domain }), equals: [NSURLErrorDomain])
        expect(Set(cocoas.map { ($0 as NSError).domain }), equals: [NSCocoaErrorDomain])
        expect(Set(posixes.map { ($0 as NSError).domain }), equals: [NSPOSIXErrorDomain])

        let foreign = nsError("x", 4)
        #if os(Linux)
            // The library guards against this cast, which succeeds here.
            #expect(foreign is CocoaError)
        #endif
        expectNil(ErrorMatcher.type(CocoaError.self).match(foreign))
        expectNil(ErrorMatcher.conforming(to: CocoaError.self).match(foreign))
        expectNil(ErrorMatcher.extracting(CocoaError.self) { $0.code.rawValue }.match(foreign))
        expectNil(ErrorMatcher.value(CocoaError(CocoaError.Code(rawValue: 4))).match(foreign))
    }

    @Test("an unknown code of URL loading or POSIX stays an NSError, without a trap; one of Cocoa is a CocoaError")
    func unknownURLCode() {
        let loading = nsError(NSURLErrorDomain, -987_654)
        #if os(Linux)
            expectNil(ErrorMatcher.type(URLError.self).match(loading))
        #else
            expect(ErrorMatcher.type(URLError.self).match(loading)?.errorCode, equals: -987_654)
        #endif
        expect(ErrorMatcher.nsError(domain: NSURLErrorDomain, code: -987_654).match(loading)?.code, equals: -987_654)
        for code in [-1, 987_654, Int.max, Int.min] {
            let system = nsError(NSPOSIXErrorDomain, code)
            expectNil(ErrorMatcher.type(POSIXError.self).match(system))
            expect(ErrorMatcher.nsError(domain: NSPOSIXErrorDomain, code: code).match(system)?.code, equals: code)
        }
        let file = ErrorMatcher.type(CocoaError.self).match(nsError(NSCocoaErrorDomain, 987_654))
        expect(file?.code.rawValue, equals: 987_654)
    }

    @Test("nothing else is bridged: no NSError of a type's own domain, and no Swift error with one of the domains")
    func swiftErrorsAreNotBridged() {
        struct Impostor: CustomNSError {
            static let errorDomain = NSURLErrorDomain
            var errorCode: Int { -1001 }
        }
        expectNil(ErrorMatcher.type(URLError.self).match(Impostor()))
        expect(ErrorMatcher.nsError(domain: NSURLErrorDomain, code: -1001).match(Impostor())?.code, equals: -1001)
        // Coding errors have Cocoa's domain.
        let error = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
        expect((error as NSError).domain, equals: NSCocoaErrorDomain)
        expectNil(ErrorMatcher.type(CocoaError.self).match(error))
        expectNil(ErrorMatcher.type(Zoo.Foreign.self).match(nsError(Zoo.Foreign.errorDomain, 7)))
        let domain = (Zoo.Payment.expired as NSError).domain
        expectNil(ErrorMatcher.type(Zoo.Payment.self).match(nsError(domain, 1)))
    }

    @Test(
        "NSError.self matches exactly the objects, of any domain and of subclasses, but no Swift error",
        .onLinux("on Darwin a boxed URLError, CocoaError or POSIXError is an NSError"))
    func nsErrorObjects() {
        for domain in ["x", NSURLErrorDomain, NSCocoaErrorDomain, NSPOSIXErrorDomain] {
            let error = NSError(domain: domain, code: 4)
            #expect(ErrorMatcher.type(NSError.self).match(error) === error)
        }
        let special = Zoo.NSErrorSubclass(domain: NSCocoaErrorDomain, code: 4)
        #expect(ErrorMatcher.type(NSError.self).match(special) === special)
        #expect(ErrorMatcher.type(Zoo.NSErrorSubclass.self).match(special) === special)
        expect(ErrorMatcher.type(CocoaError.self).match(special)?.code, equals: .fileNoSuchFile)
        expectNil(ErrorMatcher.type(Zoo.NSErrorSubclass.self).match(NSError(domain: "x", code: 1)))

        let swiftErrors: [any Error] = [
            Zoo.Payment.expired, Zoo.Timeout(), Zoo.Owl(), Zoo.Foreign(), URLError(.timedOut),
            CocoaError(.fileNoSuchFile), POSIXError(.ENOENT), Zoo.Localized(errorDescription: "x"),
        ]
        for error in swiftErrors {
            expectNil(ErrorMatcher.type(NSError.self).match(error))
            expectNil(ErrorMatcher.conforming(to: NSError.self).match(error))
        }
    }

    @Test("rules bridge as matchers do, and the report keeps the NSError")
    func rules() async {
        let trace = ActionTrace()
        let handler = ErrorHandler().on(URLError.self) { error, report in
            trace("\(error.code.rawValue) \(type(of: report.error))")
        }
        await handler.handle(nsError(NSURLErrorDomain, -1001))
        await handler.handle(nsError("x", -1001))
        expect(trace.entries, equals: ["-1001 NSError"])
    }
}
