/// A SARIF 2.1.0 log with the properties that code scanning reads.
struct Sarif: Encodable {
    struct Run: Encodable {
        let tool: Tool
        let invocations: [Invocation]
        let results: [Entry]
    }

    struct Tool: Encodable {
        struct Driver: Encodable {
            let name = "error-audit"
            let rules: [Rule]
        }

        let driver: Driver
    }

    struct Rule: Encodable {
        let id: String
        let shortDescription: Message
    }

    struct Message: Encodable { let text: String }

    struct Entry: Encodable {
        let ruleId: String
        let level: String
        let rank: Int
        let message: Message
        let locations: [Location]
        let partialFingerprints: [String: String]
    }

    struct Invocation: Encodable {
        struct Notification: Encodable {
            let level = "error"
            let message: Message
        }

        let executionSuccessful: Bool
        let toolExecutionNotifications: [Notification]
    }

    struct Location: Encodable {
        struct Physical: Encodable {
            let artifactLocation: Artifact
            let region: Region
        }

        struct Artifact: Encodable { let uri: String }

        struct Region: Encodable {
            let startLine: Int
            let snippet: Message
        }

        let physicalLocation: Physical
    }

    let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    let version = "2.1.0"
    let runs: [Run]

    enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    init(_ result: Audit.Result) {
        let rules = Kind.allCases.map { Rule(id: $0.rawValue, shortDescription: Message(text: $0.summary)) }
        let entries = result.findings.map { finding in
            let text =
                finding.harmless.map { "\(finding.kind.summary); harmless: \($0)" }
                ?? "\(finding.why.joined(separator: "; ")). Write: \(finding.instead)"
            let location = Location.Physical(
                artifactLocation: .init(uri: finding.path),
                region: .init(startLine: finding.line, snippet: Message(text: finding.code)))
            return Entry(
                ruleId: finding.kind.rawValue, level: finding.harmless == nil ? "warning" : "note", rank: finding.score,
                message: Message(text: text), locations: [Location(physicalLocation: location)],
                partialFingerprints: ["kindAndCode/v1": "\(finding.kind.rawValue) \(finding.code)"])
        }
        let unread = result.unread.map { Invocation.Notification(message: Message(text: "\($0)")) }
        let invocation = Invocation(executionSuccessful: unread.isEmpty, toolExecutionNotifications: unread)
        runs = [Run(tool: Tool(driver: .init(rules: rules)), invocations: [invocation], results: entries)]
    }
}
