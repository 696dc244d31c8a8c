import ErrorRecording
import ErrorRouting
import Foundation

enum ReplayedError: Error, Codable { case byCode(code: Int), byAmount }

/// A line of about 700 bytes, as a recorder writes it, and the rules that handled its error.
package enum ReplayedLine {
    package static let rebuilding = RebuildableErrors().adding(ReplayedError.self)

    /// Eight rules without predicates, of which two need a domain and code.
    package static let rules = ErrorHandler()
        .on(ReplayedError.self, fileID: "Contenders/Rules.swift", line: 12) { _ in .stop }
        .on(E1.self) { _ in .stop }
        .on(E2.self) { _ in .stop }
        .on(E3.self) { _ in .stop }
        .on(E4.self) { _ in .stop }
        .on(domain: NSPOSIXErrorDomain, code: Int(EACCES)) { _ in .stop }
        .ignore(domain: NSPOSIXErrorDomain, code: Int(ENOENT))
        .ignore(CancellationError.self)

    package static func text(code: Int) -> String {
        #"{"version":1,"time":"2026-05-31T16:05:09.125000Z","host":"web-3","service":"orders","process":6239,"#
            + #""start":"2026-05-31T16:05:00.000000Z","sequence":21,"disposition":"handled","role":"failure","#
            + #""type":"Contenders.ReplayedError","caseName":"byCode","message":"byCode(code: 51)","#
            + #""source":"Orders/Intake.swift:42","scope":["intake"],"#
            + #""metadata":{"method":"POST","request":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6","route":"/orders/{id}"},"#
            + #""occurrences":1,"rule":"type(ReplayedError)","ruleSource":"Contenders/Rules.swift:12","#
            + #""matchedRuleCount":1,"#
            + #""fingerprint":"Contenders.ReplayedError.byCode Orders/Intake.swift","trail":[],"#
            + "\"value\":\"{\\\"byCode\\\":{\\\"code\\\":\(code)}}\"}"
    }
}
