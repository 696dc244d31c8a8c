/// Checks the settings that Sentry checks in each event.
enum SentrySetting {
    static func release(_ text: String) throws(InvalidSentrySetting) -> String {
        let name = "release"
        if text.utf8.count > 200 { throw InvalidSentrySetting(name, "has more than 200 bytes") }
        if ["", ".", "..", "latest"].contains(text.lowercased()) {
            throw InvalidSentrySetting(name, "must not be \"\(text)\"")
        }
        try check(name, text)
        return text
    }

    static func environment(_ text: String) throws(InvalidSentrySetting) -> String {
        let name = "environment"
        if text.utf8.count > 64 { throw InvalidSentrySetting(name, "has more than 64 bytes") }
        if ["", ".", "..", "none"].contains(text.lowercased()) {
            throw InvalidSentrySetting(name, "must not be \"\(text)\"")
        }
        try check(name, text)
        return text
    }

    static func serverName(_ text: String) -> String? {
        let name = SentryEvent.truncated(SentryEvent.line(text), 200)
        return name.isEmpty ? nil : name
    }

    private static func check(_ name: String, _ text: String) throws(InvalidSentrySetting) {
        if text.contains(where: { $0 == "/" || $0 == "\\" }) { throw InvalidSentrySetting(name, "contains a slash") }
        if text.first?.isWhitespace == true || text.last?.isWhitespace == true {
            throw InvalidSentrySetting(name, "begins or ends with a space")
        }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw InvalidSentrySetting(name, "contains a control character")
        }
    }
}
