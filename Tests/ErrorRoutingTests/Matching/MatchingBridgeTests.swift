import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite(
    "Behaviour 6: NSErrors of three domains become Swift types, and no Swift error becomes an NSError",
    .tags(.behaviour6))
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
            // Here `POSIXError` has no user info, whatever it is made with.
            expect((posix as NSError).userInfo["k"] as? String, equals: "v")
        #endif
    }

    @Test("each of the three matches NSErrors of its own domain alone")
    func ownDomainAlone() {
        let domains = [NSURLErrorDomain, NSCocoaErrorDomain, NSPOSIXErrorDomain, "x", ""]
        // 4 is a code of both Cocoa and POSIX, -1001 one of URL loading.
        let errors = domains.flatMap { domain in [4, -1001].map { nsError(domain, $0) } }
        let urls = errors.filter { ErrorMatcher.type(URLError.self).match($0) != nil }
        let cocoas = errors.filter { ErrorMatcher.type(CocoaError.self).match($0) != nil }
        let posixes = errors.filter { ErrorMatcher.type(POSIXError.self).match($0) != nil }
        expect(Set(urls.map { ($0 as NSError).domain }), equals: [NSURLErrorDomain])
        expect(Set(cocoas.map { ($0 as NSError).domain }), equals: [NSCocoaErrorDomain])
        expect(Set(posixes.map { ($0 as NSError).domain }), equals: [NSPOSIXErrorDomain])
    }

    @Test("an NSError of a foreign domain is no CocoaError, whatever a cast says")
    func castsAreNotTrusted() {
        let error = nsError("x", 4)
        #if os(Linux)
            // What is guarded against: here the cast succeeds.
            #expect(error is CocoaError)
        #endif
        expectNil(ErrorMatcher.type(CocoaError.self).match(error))
        expectNil(ErrorMatcher.conforming(to: CocoaError.self).match(error))
        expectNil(ErrorMatcher.extracting(CocoaError.self) { $0.code.rawValue }.match(error))
        expectNil(ErrorMatcher.value(CocoaError(CocoaError.Code(rawValue: 4))).match(error))
    }

    @Test("a code that URLError does not know stays an NSError, rather than becoming a URLError that traps")
    func unknownURLCode() {
        let error = nsError(NSURLErrorDomain, -987_654)
        #if os(Linux)
            expectNil(ErrorMatcher.type(URLError.self).match(error))
        #else
            expect(ErrorMatcher.type(URLError.self).match(error)?.errorCode, equals: -987_654)
        #endif
        #expect(ErrorMatcher.nsError(domain: NSURLErrorDomain, code: -987_654).match(error) != nil)
    }

    @Test("a code that POSIXError does not know stays an NSError", arguments: [-1, 987_654, Int.max, Int.min])
    func unknownPOSIXCode(code: Int) {
        let error = nsError(NSPOSIXErrorDomain, code)
        expectNil(ErrorMatcher.type(POSIXError.self).match(error))
        #expect(ErrorMatcher.nsError(domain: NSPOSIXErrorDomain, code: code).match(error) != nil)
    }

    @Test("a code that CocoaError has no name for is a CocoaError all the same")
    func unknownCocoaCode() {
        let match = ErrorMatcher.type(CocoaError.self).match(nsError(NSCocoaErrorDomain, 987_654))
        expect(match?.code.rawValue, equals: 987_654)
    }

    @Test("no other NSError becomes a Swift type, not even in the domain that the type says is its own")
    func noOtherBridging() {
        expectNil(ErrorMatcher.type(Zoo.Foreign.self).match(nsError(Zoo.Foreign.errorDomain, 7)))
        let domain = (Zoo.Payment.expired as NSError).domain
        expectNil(ErrorMatcher.type(Zoo.Payment.self).match(nsError(domain, 1)))
    }

    @Test("a Swift error that has one of the three domains is not bridged: only NSError objects are")
    func swiftErrorsAreNotBridged() {
        struct Impostor: CustomNSError {
            static let errorDomain = NSURLErrorDomain
            var errorCode: Int { -1001 }
        }
        expectNil(ErrorMatcher.type(URLError.self).match(Impostor()))
        #expect(ErrorMatcher.nsError(domain: NSURLErrorDomain, code: -1001).match(Impostor()) != nil)
        // Coding errors have Cocoa's domain.
        let error = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
        expect((error as NSError).domain, equals: NSCocoaErrorDomain)
        expectNil(ErrorMatcher.type(CocoaError.self).match(error))
    }

    @Test("type(NSError) matches the very objects, of any domain and of subclasses, which are bridged as well")
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
    }

    @Test("no Swift error matches NSError.self, though every one can be cast to it with as")
    func swiftErrorsAreNoNSErrors() {
        let errors: [any Error] = [
            Zoo.Payment.expired, Zoo.Timeout(), Zoo.Owl(), Zoo.Foreign(), URLError(.timedOut),
            CocoaError(.fileNoSuchFile), POSIXError(.ENOENT), Zoo.Localized(errorDescription: "x"),
        ]
        for error in errors {
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
