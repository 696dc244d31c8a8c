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
}
