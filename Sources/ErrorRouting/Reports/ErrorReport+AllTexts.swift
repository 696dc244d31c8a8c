extension ErrorReport {
    /// All texts of a report, each computed once; for an exporter that needs several.
    public struct Texts: Sendable {
        /// See ``ErrorReport/typeName``.
        public let typeName: String
        /// See ``ErrorReport/caseName``.
        public let caseName: String?
        /// See ``ErrorReport/domainAndCode``.
        public let domainAndCode: (domain: String, code: Int)?
        /// See ``ErrorReport/message``.
        public let message: String
        /// See ``ErrorReport/fingerprint``.
        public let fingerprint: String
        /// See ``ErrorReport/trail``.
        public let trail: [TrailStep]
    }

    /// All texts of the report; cheaper than reading them one by one, because the error is reflected once.
    ///
    /// - Complexity: That of ``message`` and of ``trail``; computed at each access.
    public var texts: Texts {
        var kind = kind
        let (message, trail) = messageAndTrail
        return Texts(
            typeName: kind.typeName, caseName: kind.caseName, domainAndCode: kind.domainAndCode, message: message,
            fingerprint: fingerprint(of: &kind), trail: trail)
    }
}
