import TestSupport
import Testing

@Suite("The compiler lists the choices", .hangLimit(minutes: 10), .hangLimit)
struct DiagnosticTests {}

extension DiagnosticTests {
    @Test("a client without a transport doesn't compile on Linux", .onLinux("elsewhere URLSession is the default"))
    func transport() async throws {
        let program = """
            import Foundation
            import HTTPErrors
            func client(_ url: URL) -> APIClient { APIClient(base: url, retry: nil) }
            """
        let errors = try await Typechecker.errors(in: ["wrong.swift": program])
        expect(errors.count, equals: 1)
        let error = errors.first ?? ""
        #expect(error.hasPrefix("wrong.swift:3:"))
        #expect(
            error.contains(".asyncHTTPClient(_:)") && error.contains(".urlSession()"), "\(error)")
    }

    @Test("a request whose method is a string doesn't compile, because it would be a GET")
    func method() async throws {
        let program = """
            import HTTPErrors
            struct Right: APIRequest { typealias Response = NoContent; let path = "a"; let method = HTTPMethod.put }
            struct Get: APIRequest { typealias Response = NoContent; let path = "a" }
            struct Wrong: APIRequest { typealias Response = NoContent; let path = "a"; let method = "PUT" }
            struct Worse: APIRequest { typealias Response = NoContent; let path = "a"; var method: String { "PUT" } }
            """
        let errors = try await Typechecker.errors(in: ["wrong.swift": program])
        expect(Set(errors.compactMap { $0.firstMatch(of: /^wrong.swift:(\d)/)?.1 }), equals: ["4", "5"], "\(errors)")
        #expect(errors.contains { $0.contains("declare the type of the method") }, "\(errors)")
    }
}
