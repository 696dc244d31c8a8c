import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite(
    "Behaviour 6: NSErrors of three domains become Swift types, and no Swift error becomes an NSError",
    .tags(.behaviour6))
struct MatchingBridgeTests {
    private func nsError(_ domain: String, _ code: Int, _ userInfo: [String: Any] = [:]) -> any Error {
        NSError(domain: domain, code: code, userInfo: userInfo)
    }

    @Test("an NSError of NSURLErrorDomain matches type(URLError), with its code and user info")
    func urlError() throws {
        let key = "NSErrorFailingURLStringKey"
        let error = nsError(NSURLErrorDomain, URLError.Code.timedOut.rawValue, [key: "https://example.org"])
        let match = try #require(ErrorMatcher.type(URLError.self).match(error))
        expect(match.code, equals: .timedOut)
        expect(match.errorUserInfo[key] as? String, equals: "https://example.org")
    }

    @Test("an NSError of NSCocoaErrorDomain matches type(CocoaError), with its code and user info")
    func cocoaError() throws {
        let error = nsError(NSCocoaErrorDomain, CocoaError.Code.fileNoSuchFile.rawValue, [NSFilePathErrorKey: "/tmp/x"])
        let match = try #require(ErrorMatcher.type(CocoaError.self).match(error))
        expect(match.code, equals: .fileNoSuchFile)
        expect(match.errorUserInfo[NSFilePathErrorKey] as? String, equals: "/tmp/x")
    }

    @Test("an NSError of NSPOSIXErrorDomain matches type(POSIXError), with its code")
    func posixError() throws {
        let error = nsError(NSPOSIXErrorDomain, Int(POSIXErrorCode.ENOENT.rawValue), ["k": "v"])
        let match = try #require(ErrorMatcher.type(POSIXError.self).match(error))
        expect(match.code, equals: .ENOENT)
        #if !os(Linux)
            // Here `POSIXError` has no user info, whatever it is made with.
            expect((match as NSError).userInfo["k"] as? String, equals: "v")
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
        #expect(ErrorMatcher.type(CocoaError.self).match(error) == nil)
        #expect(ErrorMatcher.conforming(to: CocoaError.self).match(error) == nil)
        #expect(ErrorMatcher.extracting(CocoaError.self) { $0.code.rawValue }.match(error) == nil)
        #expect(ErrorMatcher.value(CocoaError(CocoaError.Code(rawValue: 4))).match(error) == nil)
    }

    @Test("a code that URLError does not know stays an NSError, rather than becoming a URLError that traps")
    func unknownURLCode() {
        let error = nsError(NSURLErrorDomain, -987_654)
        #if os(Linux)
            #expect(ErrorMatcher.type(URLError.self).match(error) == nil)
        #else
            expect(ErrorMatcher.type(URLError.self).match(error)?.errorCode, equals: -987_654)
        #endif
        #expect(ErrorMatcher.nsError(domain: NSURLErrorDomain, code: -987_654).match(error) != nil)
    }

    @Test("a code that POSIXError does not know stays an NSError", arguments: [-1, 987_654, Int.max, Int.min])
    func unknownPOSIXCode(code: Int) {
        let error = nsError(NSPOSIXErrorDomain, code)
        #expect(ErrorMatcher.type(POSIXError.self).match(error) == nil)
        #expect(ErrorMatcher.nsError(domain: NSPOSIXErrorDomain, code: code).match(error) != nil)
    }

    @Test("a code that CocoaError has no name for is a CocoaError all the same")
    func unknownCocoaCode() {
        let match = ErrorMatcher.type(CocoaError.self).match(nsError(NSCocoaErrorDomain, 987_654))
        expect(match?.code.rawValue, equals: 987_654)
    }

    @Test("no other NSError becomes a Swift type, not even in the domain that the type says is its own")
    func noOtherBridging() {
        #expect(ErrorMatcher.type(Zoo.Foreign.self).match(nsError(Zoo.Foreign.errorDomain, 7)) == nil)
        let domain = (Zoo.Payment.expired as NSError).domain
        #expect(ErrorMatcher.type(Zoo.Payment.self).match(nsError(domain, 1)) == nil)
    }

    @Test("a Swift error that has one of the three domains is not bridged: only NSError objects are")
    func swiftErrorsAreNotBridged() {
        struct Impostor: CustomNSError {
            static let errorDomain = NSURLErrorDomain
            var errorCode: Int { -1001 }
        }
        #expect(ErrorMatcher.type(URLError.self).match(Impostor()) == nil)
        #expect(ErrorMatcher.nsError(domain: NSURLErrorDomain, code: -1001).match(Impostor()) != nil)
        // Coding errors have Cocoa's domain.
        let error = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
        expect((error as NSError).domain, equals: NSCocoaErrorDomain)
        #expect(ErrorMatcher.type(CocoaError.self).match(error) == nil)
    }

    @Test("type(NSError) matches NSError objects of any domain, the very objects")
    func nsErrorObjects() {
        for domain in ["x", NSURLErrorDomain, NSCocoaErrorDomain, NSPOSIXErrorDomain] {
            let error = NSError(domain: domain, code: 4)
            #expect(ErrorMatcher.type(NSError.self).match(error) === error)
        }
    }

    @Test("type(NSError) matches subclasses, and a subclass alone is matched by its type")
    func nsErrorSubclasses() {
        let (plain, special) = (NSError(domain: "x", code: 1), Zoo.NSErrorSubclass(domain: "x", code: 1))
        #expect(ErrorMatcher.type(NSError.self).match(special) === special)
        #expect(ErrorMatcher.type(Zoo.NSErrorSubclass.self).match(special) === special)
        #expect(ErrorMatcher.type(Zoo.NSErrorSubclass.self).match(plain) == nil)
    }

    @Test("a subclass of NSError in one of the three domains is bridged too")
    func nsErrorSubclassIsBridged() {
        let error = Zoo.NSErrorSubclass(domain: NSCocoaErrorDomain, code: 4)
        expect(ErrorMatcher.type(CocoaError.self).match(error)?.code, equals: .fileNoSuchFile)
    }

    @Test("no Swift error matches NSError.self, though every one can be cast to it with as")
    func swiftErrorsAreNoNSErrors() {
        let errors: [any Error] = [
            Zoo.Payment.expired, Zoo.Timeout(), Zoo.Owl(), Zoo.Foreign(), URLError(.timedOut),
            CocoaError(.fileNoSuchFile), POSIXError(.ENOENT), Zoo.Localized(errorDescription: "x"),
        ]
        for error in errors {
            #expect(ErrorMatcher.type(NSError.self).match(error) == nil)
            #expect(ErrorMatcher.conforming(to: NSError.self).match(error) == nil)
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
